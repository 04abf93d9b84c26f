import Type from "typebox";
import type { SystemContext } from "../context.ts";
import { defineJob, type JobDefinition } from "../jobs/define.ts";
import { hasOthers, resealColumn, type SealedColumn } from "./sealed-column.ts";

const Payload = Type.Object({
  /**
   * The key to seal with. Scheduled runs leave it out and use the key of the process that runs
   * them.
   */
  keyId: Type.Optional(Type.String()),
});

export type ResealJob = JobDefinition<typeof Payload>;

/**
 * Reseals all values with the current master key, while a former key is configured. The job also
 * runs by schedule: a process that still has the former key may seal with it until it stops.
 */
export function createResealJob(columns: () => readonly SealedColumn[]): ResealJob {
  return defineJob({
    name: "master-key.reseal",
    payload: Payload,
    cron: "*/10 * * * *",
    concurrency: 1,
    // A process with another key may get this job first and fail; a retry soon reaches another
    // process.
    retries: 20,
    retryDelaySeconds: 1,
    retryDelaySecondsMax: 60,
    async run(context, { keyId }, signal) {
      const { sealer } = context.runtime;
      if (keyId !== undefined && keyId !== currentKeyId(context)) {
        throw new Error("This process seals with another master key than the one asked for.");
      }
      if (sealer.knownMarks.length === 1) return;
      let sealed = 0;
      for (const column of columns()) {
        const done = await resealColumn(context, column, signal);
        sealed += done.sealed;
        if (done.unopened > 0) {
          const facts = { table: column.table, count: done.unopened };
          context.log.error(facts, "no known master key opens some sealed values");
        }
      }
      if (sealed > 0) context.log.info({ sealed }, "sealed values anew under MASTER_KEY");
      await tellWhenDone(context, columns());
    },
  });
}

/**
 * Enqueues the job at the start, because an operator who changes the key waits for it to finish.
 */
export async function planResealing(
  context: SystemContext,
  job: ResealJob,
  columns: readonly SealedColumn[],
): Promise<void> {
  if (context.runtime.sealer.knownMarks.length === 1) return;
  if (await tellWhenDone(context, columns)) return;
  const keyId = currentKeyId(context);
  await context.transaction(async (tx) => tx.enqueue(job, { keyId }, { singletonKey: keyId }));
}

async function tellWhenDone(
  context: SystemContext,
  columns: readonly SealedColumn[],
): Promise<boolean> {
  for (const column of columns) {
    if (await hasOthers(context, column, [context.runtime.sealer.mark])) return false;
  }
  context.log.info("everything is sealed under MASTER_KEY: MASTER_KEY_PREVIOUS can be dropped");
  return true;
}

function currentKeyId({ runtime }: SystemContext): string {
  return runtime.sealer.mark.toString("hex");
}
