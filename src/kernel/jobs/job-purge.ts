import type { Db } from "pg-boss";
import Type from "typebox";
import { inBatches } from "./batches.ts";
import { defineJob, type JobDefinition } from "./define.ts";
import { JOB_SCHEMA } from "./job-boss.ts";

const BATCH = 5_000;

/**
 * Completed jobs are deleted after an hour, and failed jobs are kept for a month to find the cause.
 * pg-boss has only one age for both, so this job deletes the completed ones.
 */
export function createJobPurge(db: () => Db): JobDefinition {
  return defineJob({
    name: "job.purge",
    payload: Type.Object({}),
    cron: "17 * * * *",
    concurrency: 1,
    async run(_context, _payload, signal) {
      await inBatches(BATCH, signal, () => removeBatch(db()));
    },
  });
}

async function removeBatch(db: Db): Promise<number> {
  const { rows } = await db.executeSql(
    `with removed as (
       delete from ${JOB_SCHEMA}.job_common
        where ctid = any (array(
          select ctid from ${JOB_SCHEMA}.job_common
           where state = 'completed'
             and completed_on < ${JOB_SCHEMA}.job_now() - interval '1 hour'
           limit ${BATCH}))
       returning 1)
     select count(*)::int as count from removed`,
  );
  return (rows[0] as { count: number }).count;
}
