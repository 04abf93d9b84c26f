import type { CommitStep } from "../db/database.ts";
import type { Runtime } from "../runtime.ts";
import type { JobDefinition } from "./define.ts";
import { type BossOptions, createConsumer, createProducer } from "./job-boss.ts";
import { createEnqueue } from "./job-enqueue.ts";
import { createJobPurge } from "./job-purge.ts";
import { prepareQueues } from "./job-queues.ts";
import { JobWorkers } from "./job-workers.ts";

export type JobsOptions = BossOptions & {
  /** A function, because the runtime is created later: it needs `commitStep` first. */
  readonly runtime: () => Runtime;
  readonly definitions: readonly JobDefinition[];
};

export type QueueStats = {
  readonly name: string;
  readonly queued: number;
  readonly active: number;
  readonly failed: number;
};

export type Jobs = {
  /** Must run first: creates the schema, the queues, the schedules and the rights of requests. */
  prepare(): Promise<void>;
  /** Register it after the outbox, whose listeners may enqueue. */
  readonly commitStep: CommitStep;
  /** A process that does not call this enqueues jobs but runs none. */
  startWorkers(): Promise<void>;
  /** Statistics that one of the workers writes every half minute; this call only reads them. */
  stats(): Promise<QueueStats[]>;
  /** Stops running jobs; requests can still enqueue. */
  stopWorkers(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Background jobs on pg-boss. In this folder, a job is a row in a queue, written in the transaction
 * of the change that needs it, and run at least once. (`src/jobs` is about another thing: the long
 * operations that callers start and watch.) It uses the rights of the database owner, at most four
 * connections and one that listens.
 */
export async function openJobs(options: JobsOptions): Promise<Jobs> {
  const producer = createProducer(options);
  const definitions = [...options.definitions, createJobPurge(() => producer.getDb())];
  requireUniqueNames(definitions);
  let workers: JobWorkers | undefined;
  // The database may stop first; other nodes rescue the running jobs in any case.
  const note = (error: unknown) =>
    options.log.warn({ err: error }, "the queue did not close in good order");
  const stopWorkers = async () => {
    const running = workers;
    workers = undefined;
    await running?.stop().catch(note);
  };
  return {
    prepare: () => prepareQueues(producer, options, definitions),
    commitStep: createEnqueue(producer),
    async startWorkers() {
      workers = new JobWorkers(createConsumer(options), { ...options, definitions });
      await workers.start();
    },
    async stats() {
      const queues = await producer.getQueues(definitions.map(({ name }) => name));
      return queues.map(({ name, queuedCount, activeCount, failedCount }) => ({
        name,
        queued: queuedCount,
        active: activeCount,
        failed: failedCount,
      }));
    },
    stopWorkers,
    async stop() {
      await stopWorkers();
      await producer.stop({ graceful: false }).catch(note);
    },
  };
}

function requireUniqueNames(definitions: readonly JobDefinition[]): void {
  const names = new Set<string>();
  for (const { name } of definitions) {
    if (names.has(name)) throw new Error(`Two jobs are called '${name}'.`);
    names.add(name);
  }
}
