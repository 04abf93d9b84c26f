import type { SteadyClock } from "../clock.ts";

export type SweepOptions = {
  readonly clock: SteadyClock;
  readonly everyMs: number;
  /** Never rejects: it reports its failures itself. */
  look(): Promise<void>;
};

/** Calls `look` at regular intervals, and earlier on request; never twice at the same time. */
export class Sweep {
  readonly #options: SweepOptions;
  #nextAt = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /**
   * Of several requested times the earliest counts: a later request never delays an earlier one.
   */
  lookIn(delayMs: number): void {
    const at = this.#options.clock.now() + delayMs;
    if (this.#isStopped || at >= this.#nextAt) return;
    this.#nextAt = at;
    if (this.#looking === undefined) this.#plan();
  }

  /** Resolves when the look under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#looking;
  }

  #plan(): void {
    this.#cancel?.();
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(0, this.#nextAt - clock.now()), () => {
      this.#looking = this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#nextAt = Number.POSITIVE_INFINITY;
    await this.#options.look();
    this.#looking = undefined;
    if (this.#isStopped) return;
    // A request during the look is kept, because the look may have been too early for it.
    this.#nextAt = Math.min(this.#nextAt, this.#options.clock.now() + this.#options.everyMs);
    this.#plan();
  }
}
