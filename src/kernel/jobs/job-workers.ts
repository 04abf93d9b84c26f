import { setTimeout as sleep } from "node:timers/promises";
import type { JobWithMetadata, PgBoss, WorkWithMetadataHandler } from "pg-boss";
import type { Log } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { JobDefinition } from "./define.ts";
import type { JobData } from "./job-boss.ts";
import { HEARTBEAT_REFRESH_SECONDS } from "./job-queues.ts";
import { handBackJobs, rescueJobs } from "./job-rescue.ts";
import { runJob } from "./job-run.ts";

const RESCUE_INTERVAL_MS = 2_000;
/** Notifications and the rescue wake the workers; their own polling is a last resort. */
const POLLING_SECONDS = 300;
const FINISH_MS = 20_000;
const ABORT_MS = 5_000;

export type WorkersOptions = {
  readonly runtime: () => Runtime;
  readonly definitions: readonly JobDefinition[];
  readonly log: Log;
};

/** The workers of one process: `concurrency` of them for each definition. */
export class JobWorkers {
  readonly #boss: PgBoss;
  readonly #options: WorkersOptions;
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
   * Running jobs get twenty seconds to end by themselves and five more once their signal has fired.
   * What still runs then is handed back, and runs elsewhere without having lost an attempt.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#rescuing;
    const drained = this.#drain();
    if (!(await within(drained, FINISH_MS))) {
      this.#shutdown.abort(new Error("The process is stopping."));
      if (!(await within(drained, ABORT_MS))) await this.#handBack([...this.#running.values()]);
    }
    await this.#boss.stop({ graceful: false });
  }

  /** A worker that cannot be told any more, because the database is gone, has nothing to finish. */
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
        await runJob({ definition, job, runtime: runtime(), log, shutdown });
      } catch (error) {
        if (this.#shutdown.signal.aborted) await this.#handBack([job]);
        throw error;
      } finally {
        this.#running.delete(job.id);
        // The next job may be waiting already, and nothing else announces it.
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
