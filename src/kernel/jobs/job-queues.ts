import type { Client } from "pg";
import type { PgBoss, Queue, QueueResult } from "pg-boss";
import { ADVISORY_LOCKS } from "../db/advisory-locks.ts";
import { SYSTEM_SCOPE } from "../db/scope.ts";
import type { JobDefinition } from "./define.ts";
import { type BossOptions, JOB_SCHEMA, type JobData, ListenedClient } from "./job-boss.ts";
import { requirePayload } from "./job-payload.ts";

const APP_ROLE = "billfold_app";

/** Three missed heartbeats: long enough that a slow worker is not taken for a dead one. */
export const HEARTBEAT_SECONDS = 12;
export const HEARTBEAT_REFRESH_SECONDS = 4;

/**
 * The time between the abort of a run and the moment the queue gives up on it, so that it can end
 * properly.
 */
export const EXPIRY_GRACE_SECONDS = 15;
const WAITING_KEPT_SECONDS = 90 * 86_400;
const FAILED_KEPT_SECONDS = 30 * 86_400;

type Settings = Omit<Queue, "name" | "policy">;

/**
 * Brings the schema, queues, schedules and grants to what this release needs. Processes that start
 * at the same time wait for one lock; those that get it later find nothing left to do.
 */
export async function prepareQueues(
  boss: PgBoss,
  options: BossOptions,
  definitions: readonly JobDefinition[],
): Promise<void> {
  const client = new ListenedClient({ ...options.connection, application_name: "billfold jobs" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.jobQueues]);
    await boss.start();
    await writeQueues(boss, definitions);
    await writeSchedules(boss, definitions);
    await completeSchema(client);
  } finally {
    await client.end();
  }
}

async function writeQueues(boss: PgBoss, definitions: readonly JobDefinition[]): Promise<void> {
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const definition of definitions) {
    const settings = settingsOf(definition);
    const queue = existing.get(definition.name);
    if (queue === undefined) {
      // `short` prevents two waiting jobs with the same key; jobs without a key get a unique one.
      await boss.createQueue(definition.name, { ...settings, policy: "short" });
    } else if (differs(queue, settings)) {
      await boss.updateQueue(definition.name, settings);
    }
  }
}

function settingsOf(definition: JobDefinition): Settings {
  return {
    retryLimit: definition.retries,
    retryDelay: definition.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: definition.retryDelaySecondsMax,
    expireInSeconds: definition.timeoutSeconds + EXPIRY_GRACE_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retentionSeconds: WAITING_KEPT_SECONDS,
    deleteAfterSeconds: FAILED_KEPT_SECONDS,
    notify: true,
  };
}

function differs(queue: QueueResult, settings: Settings): boolean {
  return Object.entries(settings).some(([key, value]) => queue[key as keyof Settings] !== value);
}

async function writeSchedules(boss: PgBoss, definitions: readonly JobDefinition[]): Promise<void> {
  const existing = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]));
  for (const definition of definitions) {
    const cron = existing.get(definition.name);
    existing.delete(definition.name);
    if (definition.cron === cron) continue;
    if (definition.cron === undefined) {
      await boss.unschedule(definition.name);
      continue;
    }
    requirePayload(definition, {});
    const data: JobData = { tenantId: SYSTEM_SCOPE, payload: {} };
    // `once`: an installation that was down at one or more ticks runs the job a single time
    // afterwards.
    await boss.schedule(definition.name, definition.cron, data, { tz: "UTC", missed: "once" });
  }
  for (const name of existing.keys()) await boss.unschedule(name);
}

/**
 * Adds what pg-boss leaves to the application. Requests may insert jobs but read back only their
 * ids, so the payloads of other tenants stay hidden. The index lets the search for dead workers
 * skip the jobs that are done.
 */
async function completeSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ indexed: boolean; ungranted: boolean }>(
    `select to_regclass('${JOB_SCHEMA}.billfold_job_active') is not null as indexed,
            exists (select from pg_roles
                     where rolname = $1
                       and not (has_schema_privilege(rolname, $2, 'usage')
                                and has_table_privilege(rolname, $2 || '.queue', 'select')
                                and has_table_privilege(rolname, $2 || '.job', 'insert')
                                and has_table_privilege(rolname, $2 || '.job_common', 'insert')
                                and has_column_privilege(rolname, $2 || '.job_common', 'id', 'select'))
            ) as ungranted`,
    [APP_ROLE, JOB_SCHEMA],
  );
  if (rows[0]?.indexed === false) {
    await client.query(`
      create index billfold_job_active on ${JOB_SCHEMA}.job_common (name) where state = 'active'
    `);
  }
  if (rows[0]?.ungranted === true) {
    await client.query(`
      grant usage on schema ${JOB_SCHEMA} to ${APP_ROLE};
      grant select on ${JOB_SCHEMA}.queue to ${APP_ROLE};
      grant insert on ${JOB_SCHEMA}.job, ${JOB_SCHEMA}.job_common to ${APP_ROLE};
      grant select (id, start_after) on ${JOB_SCHEMA}.job, ${JOB_SCHEMA}.job_common to ${APP_ROLE};
    `);
  }
}
