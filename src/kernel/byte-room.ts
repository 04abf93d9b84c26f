import { FairLine } from "./fair-line.ts";

type Options = {
  readonly bytesMax: number;
  /** Work that has waited for so long is refused. */
  readonly waitMsMax: number;
  /** Makes the error for refused work. */
  readonly refuse: () => Error;
  /** Frees memory that finished work no longer uses: see `freeMemory`. */
  readonly sweep: () => Promise<void>;
};

/** After this time without any work, unused memory is freed. */
const REST_MS = 500;

type Waiter = { readonly bytes: number; begin(): void };

/**
 * Limits the memory of work that needs much of it. Groups take turns, and work starts strictly in
 * that order: otherwise work that needs much memory would wait for ever while work that needs
 * little overtakes it. The memory of finished work counts as used until it is swept.
 */
export class ByteRoom {
  readonly #options: Options;
  readonly #line = new FairLine<Waiter>();
  /** The next work in turn, while there is not enough memory for it. */
  #next: Waiter | undefined;
  #taken = 0;
  #left = 0;
  #isSweeping = false;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Work that needs more than the limit runs alone. */
  async run<Result>(group: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const needed = Math.min(bytes, this.#options.bytesMax);
    await this.#enter(group, needed);
    try {
      return await work();
    } finally {
      this.#taken -= needed;
      this.#left += needed;
      this.#sweepAtRest();
      this.#letIn();
    }
  }

  #enter(group: string, bytes: number): Promise<void> {
    const { waitMsMax, refuse } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#remove(waiter);
        reject(refuse());
      }, waitMsMax);
      const waiter: Waiter = {
        bytes,
        begin() {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#line.push(group, waiter);
      this.#letIn();
    });
  }

  #letIn(): void {
    const { bytesMax } = this.#options;
    while (this.#taken < bytesMax) {
      this.#next ??= this.#line.shift(() => true)?.item;
      if (this.#next === undefined || this.#taken + this.#next.bytes > bytesMax) return;
      if (this.#taken + this.#left + this.#next.bytes > bytesMax) {
        void this.#sweep();
        return;
      }
      this.#taken += this.#next.bytes;
      this.#next.begin();
      this.#next = undefined;
    }
  }

  #sweepAtRest(): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#sweep(), REST_MS).unref();
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping || this.#left === 0) return;
    this.#isSweeping = true;
    const left = this.#left;
    try {
      await this.#options.sweep();
    } finally {
      this.#isSweeping = false;
      this.#left -= left;
      if (this.#left > 0) this.#sweepAtRest();
      this.#letIn();
    }
  }

  #remove(waiter: Waiter): void {
    if (this.#next === waiter) {
      this.#next = undefined;
      this.#letIn();
    } else {
      this.#line.removeWhere((other) => other === waiter);
    }
  }
}
