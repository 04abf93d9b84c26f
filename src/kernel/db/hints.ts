/** Sends what has collected, in one message. */
type Send = (hints: readonly string[]) => Promise<void>;

const WAITING_MAX = 10_000;

/**
 * Signals that may be lost and are sent outside any transaction: a commit that notifies waits for
 * every other one that does, which busy tables cannot afford. While one message is under way the
 * next collects, each hint once.
 */
export class HintSender {
  readonly #send: Send;
  readonly #waiting = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  add(hint: string): void {
    // Whoever waits for hints also looks by itself from time to time.
    if (this.#waiting.size >= WAITING_MAX) return;
    this.#waiting.add(hint);
    this.#sending ??= this.#run();
  }

  /** Resolves once nothing is under way any more. */
  async settle(): Promise<void> {
    await this.#sending;
  }

  async #run(): Promise<void> {
    // Later than whoever commits in this very turn.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting];
      this.#waiting.clear();
      // A database that is away is reported by everybody who needs it more.
      await this.#send(batch).catch(() => undefined);
    }
    this.#sending = undefined;
  }
}
