import type { CommitStep } from "../db/database.ts";
import type { Runtime } from "../runtime.ts";
import type { JobDefinition } from "./define.ts";
import { type BossOptions, createConsumer, createProducer } from "./job-boss.ts";
import { createEnqueue } from "./job-enqueue.ts";
import { createJobPurge } from "./job-purge.ts";
import { prepareQueues } from "./job-queues.ts";
import { JobWorkers } from "./job-workers.ts";

export type JobsOptions = BossOptions & {
  /** Asked for at each run: the runtime itself needs `commitStep` first. */
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
  /** Before anything else: the schema, the queues, the schedules and the rights of requests. */
  prepare(): Promise<void>;
  /** To be registered after the outbox, whose listeners may enqueue. */
  readonly commitStep: CommitStep;
  /** Without it the process enqueues and runs nothing. */
  startWorkers(): Promise<void>;
  /** Counted every half minute by one of the workers: read, not computed. */
  stats(): Promise<QueueStats[]>;
  stop(): Promise<void>;
};

/**
 * Background work on pg-boss: jobs are rows written with the change that wants them, and run at
 * least once. It runs with the owner's rights, on at most four connections and one that listens.
 */
export async function openJobs(options: JobsOptions): Promise<Jobs> {
  const producer = createProducer(options);
  const definitions = [...options.definitions, createJobPurge(() => producer.getDb())];
  requireUniqueNames(definitions);
  let workers: JobWorkers | undefined;
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
    async stop() {
      // The database may be gone first: what was running is rescued by other nodes either way.
      const note = (error: unknown) =>
        options.log.warn({ err: error }, "the queue did not close in good order");
      await workers?.stop().catch(note);
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
