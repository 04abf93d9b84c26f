import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
import type { Configuration } from "./configuration.snapshot.ts";

/** A module above that keeps something of the published files in a table of its own. */
export type PublicationStep = {
  /**
   * Reads what it keeps from the files of the next version: that takes time and holds no lock. The function
   * that it returns runs first in the transaction that publishes, so that it may wait for others while the
   * publication keeps nobody waiting.
   */
  prepare(next: Configuration): Promise<(tx: TenantTx) => Promise<void>>;
};

export const publicationSteps = definePort<PublicationStep>("publication step");

/** Prepares all steps, and returns them as one. */
export async function preparePublication(
  { runtime }: TenantContext,
  next: Configuration,
): Promise<(tx: TenantTx) => Promise<void>> {
  const steps: ((tx: TenantTx) => Promise<void>)[] = [];
  for (const step of runtime.ports.all(publicationSteps)) steps.push(await step.prepare(next));
  return async (tx) => {
    for (const write of steps) await write(tx);
  };
}
