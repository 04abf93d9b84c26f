import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
import type { Configuration, StoredFiles } from "./configuration.snapshot.ts";

/** A module above that keeps something of the published files, or of what has changed in them. */
export type PublicationStep = {
  /**
   * Reads what it keeps from the files of the next version, and of the one before: that takes time and holds no
   * lock. The function that it returns runs first in the transaction that publishes, so that it may wait for others
   * while the publication keeps nobody waiting. The transaction fails if `before` is not in force any more.
   */
  prepare(
    next: Configuration,
    before: StoredFiles | undefined,
  ): Promise<(tx: TenantTx) => Promise<void>>;
};

export const publicationSteps = definePort<PublicationStep>("publication step");

/** Prepares all steps, and returns them as one. */
export async function preparePublication(
  { runtime }: TenantContext,
  next: Configuration,
  before: StoredFiles | undefined,
): Promise<(tx: TenantTx) => Promise<void>> {
  const steps: ((tx: TenantTx) => Promise<void>)[] = [];
  for (const step of runtime.ports.all(publicationSteps)) {
    steps.push(await step.prepare(next, before));
  }
  return async (tx) => {
    for (const write of steps) await write(tx);
  };
}
