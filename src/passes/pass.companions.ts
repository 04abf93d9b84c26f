import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { definePort } from "#kernel/port.ts";
import type { Template } from "#src/templates/public.ts";
import type { Pass } from "./pass.schema.ts";

/** A pass that is being created, and the template that it is created by. */
export type NewPass = { readonly pass: Pass; readonly template: Template };

/** Data that belong to a pass and are kept by a module above. */
export type PassCompanion = {
  /** The name in `expand`. */
  readonly name: string;
  /**
   * Called in the transaction that creates the passes, to add what their templates give to every
   * new pass. It waits for no answer of the database, because there may be hundreds.
   */
  attach(tx: TenantTx, made: readonly NewPass[]): Promise<void>;
  /** Called in the transaction that erases the passes. */
  detach(tx: TenantTx, passIds: readonly string[]): Promise<void>;
  read(context: TenantContext, passId: string): Promise<unknown>;
  /**
   * Checks values that a batch of wishes sets in what this companion keeps, such as the points of a
   * pass. Left out if nothing can be set. The passes that exist are locked.
   */
  plan?(tx: TenantTx, wishes: readonly CompanionWish[]): Promise<CompanionPlan>;
};

/** Values to set for one pass, by the names that the companion gives them. */
export type CompanionWish = {
  readonly pass: Pass;
  /** The template of a pass that this transaction creates; undefined for one that is there. */
  readonly newBy: Template | undefined;
  readonly values: ReadonlyMap<string, string>;
};

export type CompanionPlan = {
  /** Why nothing can be set, by the id of the pass. */
  readonly problems: ReadonlyMap<string, ProblemError>;
  /**
   * Sets the values of these passes. What new passes are given at first is already attached.
   * Returns the passes in which something changed.
   */
  write(tx: TenantTx, passIds: ReadonlySet<string>): ReadonlySet<string>;
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
