import { type Transferable, Worker } from "node:worker_threads";
import { FairGate, tooBusy } from "./fair-gate.ts";

export type SideThreadOptions = {
  /** A module that calls `serveSideThread`. */
  readonly program: URL;
  readonly waitingPerGroupMax: number;
  readonly waitingMax: number;
  /** Who has not had its turn by then is turned away. */
  readonly waitMsMax: number;
  /** For one answer; a thread that takes longer is ended, and the next caller gets a new one. */
  readonly answerMsMax: number;
  readonly memoryMbMax: number;
};

/** Asks the thread one thing; it answers one at a time. */
export type Exchange<Ask, Reply> = (ask: Ask, transfer?: Transferable[]) => Promise<Reply>;

type Pending<Reply> = { resolve(reply: Reply): void; reject(error: unknown): void };

/**
 * Work that would keep the event loop from others runs here, one piece at a time, and the groups that
 * ask in turn. The thread starts with the first piece and stays: starting one takes longer than most
 * of the work it is for.
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

  /** The thread is the caller's alone until `converse` is done. */
  async run<Result>(
    group: string,
    converse: (exchange: Exchange<Ask, Reply>) => Promise<Result>,
  ): Promise<Result> {
    return await this.#gate.run(group, async () => {
      try {
        return await converse((ask, transfer = []) => this.#exchange(ask, transfer));
      } finally {
        // An idle thread keeps no process from ending.
        this.#worker?.unref();
      }
    });
  }

  #exchange(ask: Ask, transfer: Transferable[]): Promise<Reply> {
    const worker = this.#worker ?? this.#start();
    worker.ref();
    return new Promise<Reply>((resolve, reject) => {
      const timer = setTimeout(() => this.#end(worker, tooBusy()), this.#options.answerMsMax);
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
    const worker = new Worker(program, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    });
    worker.on("message", (reply: Reply) => {
      const pending = this.#pending;
      this.#pending = undefined;
      pending?.resolve(reply);
    });
    worker.on("error", (error: Error & { code?: string }) =>
      // Memory is a matter of what was asked for; anything else is a mistake of ours.
      this.#end(worker, error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooBusy() : error),
    );
    worker.on("exit", () => this.#end(worker, tooBusy()));
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
