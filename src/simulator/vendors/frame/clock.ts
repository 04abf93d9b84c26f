import { type Clock, systemClock } from "#kernel/clock.ts";

type Deed = { readonly at: number; readonly call: () => Promise<void> | void };

const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The time of the simulated vendors. Whoever does not want to wait four hours for a retry moves it
 * forward. Stamps that vendors sign keep to the wall clock, because receivers compare them with it.
 */
export class VendorClock {
  readonly #wall: Clock;
  /** Undefined if time also goes on by itself. */
  readonly #stoppedAt: number | undefined;
  readonly #deeds = new Set<Deed>();
  readonly #running = new Set<Promise<void>>();
  #movedMs = 0;
  #stampedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ wall = systemClock, ticks = true }: { wall?: Clock; ticks?: boolean } = {}) {
    this.#wall = wall;
    this.#stoppedAt = ticks ? undefined : wall.now().getTime();
  }

  now(): Date {
    return new Date((this.#stoppedAt ?? this.#wall.now().getTime()) + this.#movedMs);
  }

  /** For stamps that receivers check. */
  wall(): Date {
    return this.#wall.now();
  }

  /** A stamp of the wall clock that is later than all before it, so that their order can be told. */
  stamp(): string {
    this.#stampedMs = Math.max(this.#stampedMs + 1, this.#wall.now().getTime());
    return new Date(this.#stampedMs).toISOString();
  }

  /** Calls it once, after the delay. The returned function cancels it. */
  after(delayMs: number, call: Deed["call"]): () => void {
    const deed = { at: this.now().getTime() + delayMs, call };
    this.#deeds.add(deed);
    this.#startDue();
    return () => this.#deeds.delete(deed);
  }

  /** Lets time pass: all that falls due happens at its own time, one after another. */
  async advance(ms: number): Promise<void> {
    const until = this.now().getTime() + ms;
    await this.idle();
    for (let next = this.#next(); next !== undefined && next.at <= until; next = this.#next()) {
      this.#movedMs += Math.max(0, next.at - this.now().getTime());
      this.#startDue();
      await this.idle();
    }
    this.#movedMs += Math.max(0, until - this.now().getTime());
    this.#startDue();
  }

  /** Resolves when nothing is under way that is due. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#deeds.clear();
  }

  #next(): Deed | undefined {
    return [...this.#deeds].reduce<Deed | undefined>(
      (first, deed) => (first === undefined || deed.at < first.at ? deed : first),
      undefined,
    );
  }

  #startDue(): void {
    if (this.#isOver) return;
    const now = this.now().getTime();
    for (const deed of this.#deeds) {
      if (deed.at > now) continue;
      this.#deeds.delete(deed);
      const run: Promise<void> = Promise.resolve()
        .then(deed.call)
        .catch(() => undefined)
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#next();
    if (next === undefined || this.#stoppedAt !== undefined) return;
    const waitMs = Math.min(Math.max(0, next.at - this.now().getTime()), TIMER_MS_MAX);
    this.#timer = setTimeout(() => this.#startDue(), waitMs).unref();
  }
}
