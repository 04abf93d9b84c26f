import { setTimeout as sleep } from "node:timers/promises";

/** Sends the collected hints in one message. */
type Send = (hints: readonly string[]) => Promise<void>;

const WAITING_MAX = 10_000;
/** The first hint is sent at once. Hints that follow within this time are sent together. */
const PAUSE_MS = 5;

/**
 * Sends signals that may be lost, outside any transaction: PostgreSQL lets only one transaction
 * with a NOTIFY commit at a time, which is too slow for busy tables. While one message is under
 * way, and for `PAUSE_MS` after it, the hints for the next message are collected, each hint once.
 */
export class HintSender {
  readonly #send: Send;
  readonly #waiting = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  add(hint: string): void {
    // Dropping a hint is safe: every receiver of hints also looks for work on its own from time to
    // time.
    if (this.#waiting.size >= WAITING_MAX) return;
    this.#waiting.add(hint);
    this.#sending ??= this.#run();
  }

  /** Resolves when no message is under way any more. */
  async settle(): Promise<void> {
    await this.#sending;
  }

  async #run(): Promise<void> {
    // Waits for the other commits of the same turn of the event loop, to send their hints together.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting];
      this.#waiting.clear();
      // Not logged: when the database is down, the calls that depend on it report the failure.
      await this.#send(batch).catch(() => undefined);
      await sleep(PAUSE_MS);
    }
    this.#sending = undefined;
  }
}
