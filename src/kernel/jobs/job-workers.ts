import { setTimeout as sleep } from "node:timers/promises";
import type { JobWithMetadata, PgBoss, WorkWithMetadataHandler } from "pg-boss";
import type { Log } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { JobDefinition } from "./define.ts";
import { JOB_TIMES, type JobData, type JobTimes } from "./job-boss.ts";
import { HEARTBEAT_REFRESH_SECONDS } from "./job-queues.ts";
import { handBackJobs, rescueJobs } from "./job-rescue.ts";
import { runJob } from "./job-run.ts";

const RESCUE_INTERVAL_MS = 2_000;
/** Notifications and the rescue wake the workers; polling is only a fallback. */
const POLLING_SECONDS = 300;

export type WorkersOptions = {
  readonly runtime: () => Runtime;
  readonly definitions: readonly JobDefinition[];
  readonly log: Log;
  readonly times?: JobTimes;
};

/** The workers of one process: for each job definition as many as its `concurrency`. */
export class JobWorkers {
  readonly #boss: PgBoss;
  readonly #options: WorkersOptions;
  readonly #times: JobTimes;
  readonly #names: readonly string[];
  readonly #workerIds = new Map<string, string[]>();
  readonly #running = new Map<string, JobWithMetadata<JobData>>();
  readonly #shutdown = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #rescuing: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(boss: PgBoss, options: WorkersOptions) {
    this.#boss = boss;
    this.#options = options;
    this.#times = options.times ?? JOB_TIMES;
    this.#names = options.definitions.map(({ name }) => name);
  }

  async start(): Promise<void> {
    await this.#boss.start();
    for (const definition of this.#options.definitions) {
      for (let count = 0; count < definition.concurrency; count += 1) {
        await this.#addWorker(definition);
      }
    }
    this.#planRescue();
  }

  /**
   * Running jobs have twenty seconds to finish, and five more after their signal was aborted. Jobs
   * that still run then are handed back and run elsewhere, without losing an attempt.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#rescuing;
    const drained = this.#drain();
    const { finishMs, abortMs } = this.#times;
    if (!(await within(drained, finishMs))) {
      this.#shutdown.abort(new Error("The process is stopping."));
      if (!(await within(drained, abortMs))) await this.#handBack([...this.#running.values()]);
    }
    await this.#boss.stop({ graceful: false });
  }

  /**
   * If the database is gone, a worker cannot be told to stop, but it also has nothing to finish.
   */
  async #drain(): Promise<true> {
    const endings = await Promise.allSettled(this.#names.map((name) => this.#boss.offWork(name)));
    for (const ending of endings) {
      if (ending.status === "fulfilled") continue;
      this.#options.log.warn({ err: ending.reason }, "a worker did not end in good order");
    }
    return true;
  }

  async #addWorker(definition: JobDefinition): Promise<void> {
    const { runtime, log } = this.#options;
    const options = {
      includeMetadata: true,
      pollingIntervalSeconds: POLLING_SECONDS,
      notifyPollingIntervalSeconds: POLLING_SECONDS,
      heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
    } as const;
    const handle: WorkWithMetadataHandler<JobData> = async ([job]) => {
      if (job === undefined) return;
      this.#running.set(job.id, job);
      try {
        const shutdown = this.#shutdown.signal;
        const { abortMs } = this.#times;
        const db = this.#boss.getDb();
        await runJob({ definition, job, db, runtime: runtime(), log, shutdown, abortMs });
      } catch (error) {
        if (this.#shutdown.signal.aborted) await this.#handBack([job]);
        throw error;
      } finally {
        this.#running.delete(job.id);
        // The next job may already be waiting, and no notification announces it.
        this.#boss.notifyWorker(id);
      }
    };
    const id = await this.#boss.work(definition.name, options, handle);
    this.#workerIds.set(definition.name, [...(this.#workerIds.get(definition.name) ?? []), id]);
  }

  async #handBack(jobs: readonly JobWithMetadata<JobData>[]): Promise<void> {
    try {
      await handBackJobs(this.#boss.getDb(), jobs);
    } catch (error) {
      this.#options.log.warn({ err: error }, "unfinished jobs wait for their heartbeat to run out");
    }
  }

  #planRescue(): void {
    if (this.#stopping) return;
    this.#timer = setTimeout(() => {
      this.#rescuing = this.#rescue().finally(() => this.#planRescue());
    }, RESCUE_INTERVAL_MS);
  }

  async #rescue(): Promise<void> {
    try {
      const queues = await rescueJobs(this.#boss.getDb(), this.#names, this.#options.log);
      for (const name of queues) {
        for (const id of this.#workerIds.get(name) ?? []) this.#boss.notifyWorker(id);
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, "cannot look for lost jobs");
    }
  }
}

async function within(done: Promise<true>, milliseconds: number): Promise<boolean> {
  const waiting = new AbortController();
  try {
    return await Promise.race([
      done,
      sleep(milliseconds, false, { signal: waiting.signal }).catch(() => false),
    ]);
  } finally {
    waiting.abort();
  }
}
