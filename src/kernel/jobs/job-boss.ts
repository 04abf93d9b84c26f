import type { ClientConfig, PoolConfig } from "pg";
import { type ConstructorOptions, PgBoss } from "pg-boss";
import type { Log } from "../log.ts";

export const JOB_SCHEMA = "pgboss";

/** One day, the longest pause pg-boss allows: what we do not use must not wake up. */
const RARELY_SECONDS = 86_400;

/** The tenant travels beside the payload, so that a run is bound to it before any code of a module. */
export type JobData = { readonly tenantId: string; readonly payload: unknown };

export type BossOptions = {
  readonly connection: ClientConfig | PoolConfig;
  readonly log: Log;
};

/** Writes jobs and tends the queues. Its connection closes by itself ten seconds after its last use. */
export function createProducer(options: BossOptions): PgBoss {
  return createBoss(options, {
    max: 1,
    supervise: false,
    schedule: false,
    queueCacheIntervalSeconds: RARELY_SECONDS,
    bamIntervalSeconds: RARELY_SECONDS,
  });
}

/**
 * Runs jobs. Stale workers are found by `rescueJobs` every two seconds, so pg-boss's own monitor,
 * which reads the whole table of jobs for its counts, may take its time.
 */
export function createConsumer(options: BossOptions): PgBoss {
  return createBoss(options, {
    max: 3,
    useListenNotify: true,
    superviseIntervalSeconds: 30,
    monitorIntervalSeconds: 30,
    cronMonitorIntervalSeconds: 30,
    cronWorkerIntervalSeconds: 10,
    flowIntervalSeconds: RARELY_SECONDS,
  });
}

function createBoss({ connection, log }: BossOptions, settings: ConstructorOptions): PgBoss {
  const network = {
    ...connection,
    application_name: "billfold jobs",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A connection whose server went silent must not hold the workers for ever.
    query_timeout: 60_000,
  };
  const boss = new PgBoss({ ...(network as ConstructorOptions), schema: JOB_SCHEMA, ...settings });
  boss.on("error", (error) => log.error({ err: error }, "the job queue reports an error"));
  boss.on("warning", ({ message }) => log.warn({ warning: message }, "the job queue warns"));
  return boss;
}
