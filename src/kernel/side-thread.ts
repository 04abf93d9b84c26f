import { type Transferable, Worker } from "node:worker_threads";
import { compileCacheFolder } from "./compile-cache.ts";
import { FairGate, tooBusy } from "./fair-gate.ts";
import type { SideThreadData } from "./side-thread-loader.ts";

export type SideThreadOptions = {
  /** A module that calls `serveSideThread`. */
  readonly program: URL;
  readonly waitingPerGroupMax: number;
  readonly waitingMax: number;
  /** Work that has not started by then is refused. */
  readonly waitMsMax: number;
  /**
   * The limit for one answer; a thread that takes longer is ended, and the next work starts a new
   * one.
   */
  readonly answerMsMax: number;
  readonly memoryMbMax: number;
};

const LOADER = new URL("./side-thread-loader.ts", import.meta.url);

/** Sends one message to the thread and waits for its answer; there is one message at a time. */
export type Exchange<Ask, Reply> = (ask: Ask, transfer?: Transferable[]) => Promise<Reply>;

type Pending<Reply> = { resolve(reply: Reply): void; reject(error: unknown): void };

/**
 * Runs work in a thread that would block the event loop, one piece of work at a time; groups take
 * turns. The thread starts with the first work and stays, because starting it takes longer than
 * most work.
 */
export class SideThread<Ask, Reply> {
  readonly #options: SideThreadOptions;
  readonly #gate: FairGate;
  #worker: Worker | undefined;
  #pending: Pending<Reply> | undefined;

  constructor(options: SideThreadOptions) {
    this.#options = options;
    this.#gate = new FairGate({ atOnceMax: 1, ...options });
  }

  /** Only this caller uses the thread until `converse` has finished. */
  async run<Result>(
    group: string,
    converse: (exchange: Exchange<Ask, Reply>) => Promise<Result>,
  ): Promise<Result> {
    return await this.#gate.run(group, async () => {
      try {
        return await converse((ask, transfer = []) => this.#exchange(ask, transfer));
      } finally {
        // An idle thread must not keep the process alive.
        this.#worker?.unref();
      }
    });
  }

  #exchange(ask: Ask, transfer: Transferable[]): Promise<Reply> {
    const worker = this.#worker ?? this.#start();
    worker.ref();
    return new Promise<Reply>((resolve, reject) => {
      const isLate = () => tooBusy().because("the side thread took too long");
      const timer = setTimeout(() => this.#end(worker, isLate()), this.#options.answerMsMax);
      this.#pending = {
        resolve(reply) {
          clearTimeout(timer);
          resolve(reply);
        },
        reject(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      worker.postMessage(ask, transfer);
    });
  }

  #start(): Worker {
    const { program, memoryMbMax } = this.#options;
    const data: SideThreadData = {
      program: program.href,
      compileCacheFolder: compileCacheFolder(),
    };
    const worker = new Worker(LOADER, {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    });
    worker.on("message", (reply: Reply) => {
      const pending = this.#pending;
      this.#pending = undefined;
      pending?.resolve(reply);
    });
    worker.on("error", (error: Error & { code?: string }) =>
      // Running out of memory is caused by the request; any other error is a fault of this service.
      this.#end(worker, error.code === "ERR_WORKER_OUT_OF_MEMORY" ? outOfMemory() : error),
    );
    worker.on("exit", () => this.#end(worker, tooBusy().because("the side thread ended")));
    this.#worker = worker;
    return worker;
  }

  #end(worker: Worker, reason: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(reason);
  }
}

const outOfMemory = () => tooBusy().because("the side thread ran out of memory");
