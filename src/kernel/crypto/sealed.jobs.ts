import Type from "typebox";
import type { SystemContext } from "../context.ts";
import { defineJob, type JobDefinition } from "../jobs/define.ts";
import { hasOthers, resealColumn, type SealedColumn } from "./sealed-column.ts";

const Payload = Type.Object({
  /** The key to seal with. Left out by the clock, which takes the key of whoever runs. */
  keyId: Type.Optional(Type.String()),
});

export type ResealJob = JobDefinition<typeof Payload>;

/**
 * Seals everything anew under the current master key, as long as a former one is set beside it. By
 * the clock as well: until the last process with the former key has stopped, it may still seal.
 */
export function createResealJob(columns: () => readonly SealedColumn[]): ResealJob {
  return defineJob({
    name: "master-key.reseal",
    payload: Payload,
    cron: "*/10 * * * *",
    concurrency: 1,
    // A process that has another key may be the first to take it: soon tried again, and by others.
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

/** At start: whoever changes the key waits for this to be done, not for the clock. */
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
