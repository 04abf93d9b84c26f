import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
import type { Template } from "#src/templates/public.ts";
import type { Pass } from "./pass.schema.ts";

/** Data that belong to a pass and are kept by a module above. */
export type PassCompanion = {
  /** The name in `expand`. */
  readonly name: string;
  /**
   * Called in the transaction that creates the pass, to add what its template gives to every new
   * pass.
   */
  attach(tx: TenantTx, pass: Pass, template: Template): Promise<void>;
  /** Called in the transaction that erases the pass. */
  detach(tx: TenantTx, passId: string): Promise<void>;
  read(context: TenantContext, passId: string): Promise<unknown>;
};

export const passCompanions = definePort<PassCompanion>("pass companion");

/** The data of one companion, as `expand` shows them; undefined if there is no such companion. */
export async function readCompanion(
  context: TenantContext,
  passId: string,
  name: string,
): Promise<unknown> {
  return await context.runtime.ports
    .all(passCompanions)
    .find((companion) => companion.name === name)
    ?.read(context, passId);
}
