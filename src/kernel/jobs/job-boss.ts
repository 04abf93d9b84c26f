import pg, { type ClientConfig, type PoolConfig } from "pg";
import { type ConstructorOptions, PgBoss } from "pg-boss";
import type { Log } from "../log.ts";

export const JOB_SCHEMA = "pgboss";

/**
 * One day, the longest interval that pg-boss allows: for functions of pg-boss that are not used.
 */
const RARELY_SECONDS = 86_400;

/**
 * The tenant is stored beside the payload, so that a run is bound to its tenant before any code of
 * a module runs.
 */
export type JobData = {
  readonly tenantId: string;
  /** When the tenant was created: a job of a tenant that has ended does nothing in the next one of its id. */
  readonly tenantSince?: string;
  readonly payload: unknown;
};

/** All waiting times; tests may shorten them. */
export const JOB_TIMES = {
  /** The connection that writes jobs is closed after so long without use. */
  idleMs: 10_000,
  cronMonitorSeconds: 30,
  cronWorkerSeconds: 10,
  /** When the process stops, running jobs have so long to finish. */
  finishMs: 20_000,
  /** After its signal was aborted, at the stop or at its time limit, a job has so long to end. */
  abortMs: 5_000,
} as const;

export type JobTimes = { readonly [Name in keyof typeof JOB_TIMES]: number };

export type BossOptions = {
  readonly connection: ClientConfig | PoolConfig;
  readonly log: Log;
  readonly times?: JobTimes;
};

/** Writes jobs and manages the queues. Its connection is closed some time after its last use. */
export function createProducer(options: BossOptions): PgBoss {
  const { idleMs } = options.times ?? JOB_TIMES;
  const connection = { ...options.connection, idleTimeoutMillis: idleMs };
  return createBoss(
    { ...options, connection },
    {
      max: 1,
      supervise: false,
      schedule: false,
      queueCacheIntervalSeconds: RARELY_SECONDS,
      bamIntervalSeconds: RARELY_SECONDS,
    },
  );
}

/**
 * Runs jobs. `rescueJobs` finds dead workers every two seconds, so pg-boss's own monitor, which
 * reads the whole job table for its statistics, runs rarely.
 */
export function createConsumer(options: BossOptions): PgBoss {
  const { cronMonitorSeconds, cronWorkerSeconds } = options.times ?? JOB_TIMES;
  return createBoss(options, {
    max: 3,
    useListenNotify: true,
    superviseIntervalSeconds: 30,
    monitorIntervalSeconds: 30,
    cronMonitorIntervalSeconds: cronMonitorSeconds,
    cronWorkerIntervalSeconds: cronWorkerSeconds,
    flowIntervalSeconds: RARELY_SECONDS,
  });
}

/**
 * Without a listener, a connection that the server ends between two statements would end the whole process.
 * The next statement on it fails, and its sender gets that error.
 */
export class ListenedClient extends pg.Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on("error", () => undefined);
  }
}

function createBoss({ connection, log }: BossOptions, settings: ConstructorOptions): PgBoss {
  const network = {
    ...connection,
    application_name: "billfold jobs",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A connection whose server stopped answering must not block the workers for ever.
    query_timeout: 60_000,
    Client: ListenedClient,
  };
  const boss = new PgBoss({ ...(network as ConstructorOptions), schema: JOB_SCHEMA, ...settings });
  boss.on("error", (emitted: unknown) => {
    const { queue } = emitted as { readonly queue?: unknown };
    log.error({ err: errorOf(emitted), queue }, "the job queue reports an error");
  });
  boss.on("warning", ({ message }) => log.warn({ warning: message }, "the job queue warns"));
  return boss;
}

/** For errors of its workers, pg-boss emits plain objects with the name of the queue added. */
function errorOf(emitted: unknown): unknown {
  if (emitted instanceof Error) return emitted;
  const { message, stack, code } = emitted as Partial<NodeJS.ErrnoException>;
  return Object.assign(new Error(message), { stack, code });
}
