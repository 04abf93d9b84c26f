import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
import type { Identifiers } from "./identifier.rules.ts";

/** For modules above this one that have data of the same person, found by identifiers. */
export type CustomerLink = {
  /** Runs in the transaction that erases the customer, if the caller requests it. */
  erase(context: TenantContext, tx: TenantTx, identifiers: Identifiers): Promise<void>;
};

export const customerLinks = definePort<CustomerLink>("customer link");
