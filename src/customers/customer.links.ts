import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
import type { Identifiers } from "./identifier.rules.ts";

/** What a module above knows of the same person, by identifiers. */
export type CustomerLink = {
  /** In the transaction that erases the customer, when the caller asks for it. */
  erase(context: TenantContext, tx: TenantTx, identifiers: Identifiers): Promise<void>;
};

export const customerLinks = definePort<CustomerLink>("customer link");
