import Type from "typebox";
import { inBatches } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteJobsBefore, failLostWalks } from "./job.repository.ts";

const RETENTION_MS = 30 * 86_400_000;
const BATCH_ROWS = 500;
/** Longer than all attempts of a walk take together: a walk without progress was given up. */
const LOST_MS = 86_400_000;

/** Deletes jobs that ended a month ago, for all tenants, and fails walks that were given up. */
export const forgetJobs = defineJob({
  name: "job.forget",
  payload: Type.Object({}),
  cron: "47 2 * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const now = context.clock.now().getTime();
    await context.transaction((tx) => failLostWalks(tx, new Date(now - LOST_MS)));
    const before = new Date(now - RETENTION_MS);
    await inBatches(BATCH_ROWS, signal, () =>
      context.transaction((tx) => deleteJobsBefore(tx, before, BATCH_ROWS)),
    );
  },
});
