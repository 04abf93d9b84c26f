import { RecentMap } from "#kernel/recent-map.ts";

type Window = { readonly number: number; count: number };
type Clock = { now(): Date };

/** Counts by name in windows of time, such as the hours of a day. Counts in one process alone. */
export class WindowCounter {
  readonly #windowMs: number;
  readonly #windows: RecentMap<Window>;

  /** Of more names than these, those that were not used lately are forgotten. */
  constructor(windowMs: number, namesMax: number) {
    this.#windowMs = windowMs;
    this.#windows = new RecentMap(namesMax);
  }

  /** Counts one more, and returns how many there are in this window. */
  count(name: string, clock: Clock): number {
    const number = Math.floor(clock.now().getTime() / this.#windowMs);
    const last = this.#windows.get(name);
    const window = last?.number === number ? last : { number, count: 0 };
    this.#windows.set(name, window);
    window.count += 1;
    return window.count;
  }

  /** When the next window begins. */
  secondsLeft(clock: Clock): number {
    return Math.ceil((this.#windowMs - (clock.now().getTime() % this.#windowMs)) / 1_000);
  }
}
