import type { Db } from "pg-boss";
import type { Log } from "../log.ts";
import { JOB_SCHEMA } from "./job-boss.ts";

type Row = {
  readonly name: string;
  /** Null in a row that only names a queue with waiting jobs. */
  readonly id: string | null;
  readonly state: string | null;
  readonly attempts: number | null;
};

const LOST = '{ "value": { "message": "The worker stopped in the middle of the job." } }';

/**
 * One statement that takes jobs away from workers without a recent heartbeat, and lists the queues
 * with waiting jobs. pg-boss would do the first a minute later and then wait for the retry delay of
 * failed jobs; for the second it polls each queue.
 *
 * A lost attempt counts, so a job that crashes its process runs out of attempts.
 */
const RESCUE = `
  with lost as (
    select id, name
      from ${JOB_SCHEMA}.job_common
     where name = any($1::text[])
       and state = 'active'
       and heartbeat_on + heartbeat_seconds * interval '1 second' < ${JOB_SCHEMA}.job_now()
       for update skip locked
  ),
  rescued as (
    update ${JOB_SCHEMA}.job_common as job
       set state = case when retry_count < retry_limit
                        then 'retry' else 'failed' end::${JOB_SCHEMA}.job_state,
           completed_on = case when retry_count < retry_limit
                               then null else ${JOB_SCHEMA}.job_now() end,
           start_after = ${JOB_SCHEMA}.job_now(),
           heartbeat_on = null,
           output = $2::jsonb
      from lost
     where job.name = lost.name
       and job.id = lost.id
    returning job.name, job.id, job.state::text, job.retry_count + 1 as attempts
  )
  select name, id, state, attempts from rescued
  union all
  select queue.name, null, null, null
    from unnest($1::text[]) as queue (name)
   where exists (
     select from ${JOB_SCHEMA}.job_common as job
      where job.name = queue.name
        and job.state < 'active'
        and not job.blocked
        and job.start_after <= ${JOB_SCHEMA}.job_now())
`;

/** Returns the queues whose workers should look for work now. */
export async function rescueJobs(
  db: Db,
  queues: readonly string[],
  log: Log,
): Promise<Set<string>> {
  const { rows } = (await db.executeSql(RESCUE, [queues, LOST])) as { rows: Row[] };
  for (const { name, id, state, attempts } of rows) {
    if (id === null) continue;
    const facts = { job: name, jobId: id, attempts };
    if (state === "failed") log.error(facts, "job lost its worker and has failed for good");
    else log.warn(facts, "job lost its worker and runs again");
  }
  return new Set(rows.map(({ name }) => name));
}

/**
 * A run that was cut off by a stopping process does not count as an attempt: it starts again
 * elsewhere, at once.
 */
export async function handBackJobs(
  db: Db,
  runs: readonly { readonly id: string; readonly retryCount: number }[],
): Promise<void> {
  await db.executeSql(
    `update ${JOB_SCHEMA}.job_common as job
        set state = 'retry', started_on = null, heartbeat_on = null,
            start_after = ${JOB_SCHEMA}.job_now()
       from jsonb_to_recordset($1::jsonb) as run (id uuid, "retryCount" integer)
      where job.id = run.id
        and job.state = 'active'
        and job.retry_count = run."retryCount"`,
    [JSON.stringify(runs.map(({ id, retryCount }) => ({ id, retryCount })))],
  );
}
