import type { ProblemError } from "./errors.ts";

type Options = {
  readonly perGroupMax: number;
  /** For all groups together. */
  readonly placesMax: number;
  refuse(whose: string, most: number): ProblemError;
};

/** A limited number of places, for each group and for all together. Nobody waits for one. */
export class Places {
  readonly #options: Options;
  readonly #byGroup = new Map<string, number>();
  #count = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Takes a place, or throws; returns the function that frees it. */
  enter(group: string): () => void {
    const { perGroupMax, placesMax, refuse } = this.#options;
    const own = this.#byGroup.get(group) ?? 0;
    if (own >= perGroupMax) throw refuse("This tenant", perGroupMax);
    if (this.#count >= placesMax) throw refuse("This service", placesMax);
    this.#byGroup.set(group, own + 1);
    this.#count += 1;
    return () => this.#leave(group);
  }

  #leave(group: string): void {
    const left = (this.#byGroup.get(group) ?? 1) - 1;
    if (left === 0) this.#byGroup.delete(group);
    else this.#byGroup.set(group, left);
    this.#count -= 1;
  }
}
