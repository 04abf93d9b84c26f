import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Identifiers } from "./identifier.rules.ts";

/** What a module above knows of the same person, by identifiers. */
export type CustomerLink = {
  /** In the transaction that erases the customer, when the caller asks for it. */
  erase(context: TenantContext, tx: TenantTx, identifiers: Identifiers): Promise<void>;
};

const byRuntime = new WeakMap<Runtime, readonly CustomerLink[]>();

/** Called once at start: modules above add what they keep without being known here. */
export function registerCustomerLinks(runtime: Runtime, links: readonly CustomerLink[]): void {
  byRuntime.set(runtime, links);
}

export function linksOf({ runtime }: TenantContext): readonly CustomerLink[] {
  return byRuntime.get(runtime) ?? [];
}
