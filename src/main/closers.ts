import type { Log } from "#kernel/log.ts";

type Close = () => Promise<void>;

/** Closes everything at a stop, in two steps: first all work, then what the work depends on. */
export class Closers {
  readonly #work: Close[] = [];
  readonly #ground: Close[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * For requests, jobs and deliveries, which may take many seconds to finish: closed all at once.
   */
  addWork(close: Close | undefined): void {
    if (close !== undefined) this.#work.push(close);
  }

  /**
   * Closed one by one after all work has ended, newest first: what was opened later depends on what
   * was opened earlier.
   */
  addGround(close: Close | undefined): void {
    if (close !== undefined) this.#ground.unshift(close);
  }

  /** A failure does not prevent the others from closing, above all the database server. */
  async closeAll(): Promise<void> {
    await Promise.all(this.#work.splice(0).map((close) => this.#attempt(close)));
    for (const close of this.#ground.splice(0)) await this.#attempt(close);
  }

  async #attempt(close: Close): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.#log.warn({ err: error }, "something did not close in good order");
    }
  }
}
