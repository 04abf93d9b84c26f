import { RecentMap } from "./recent-map.ts";

/** Less than a second, so that a change takes effect in time even if its signal was lost. */
const AGE_MS_MAX = 900;
const ENTRIES_MAX = 10_000;

type Entry<Value> = { readonly value: Value; readonly loadedAt: number };

/**
 * A cache of values by name. Each value is loaded by one call at a time and kept for less than a
 * second.
 */
export class BriefCache<Value> {
  readonly #entries = new RecentMap<Entry<Value>>(ENTRIES_MAX);
  readonly #loading = new Map<string, Promise<Value>>();
  readonly #load: (name: string) => Promise<Value>;
  #generation = 0;

  constructor(load: (name: string) => Promise<Value>) {
    this.#load = load;
  }

  /** Returns a value even if it is too old, for callers that cannot wait. */
  last(name: string): { readonly value: Value; readonly isFresh: boolean } | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    return { value: entry.value, isFresh: performance.now() - entry.loadedAt <= AGE_MS_MAX };
  }

  async get(name: string): Promise<Value> {
    const last = this.last(name);
    if (last?.isFresh) return last.value;
    const loading = this.#loading.get(name) ?? this.#start(name);
    return await loading;
  }

  #start(name: string): Promise<Value> {
    const generation = this.#generation;
    const askedAt = performance.now();
    const started = this.#load(name)
      .then((value) => {
        // A value that was read before `forget` was called must not be kept after it.
        if (generation === this.#generation) {
          this.#entries.set(name, { value, loadedAt: askedAt });
        }
        return value;
      })
      .finally(() => {
        if (this.#loading.get(name) === started) this.#loading.delete(name);
      });
    this.#loading.set(name, started);
    return started;
  }

  forget(name?: string): void {
    this.#generation += 1;
    this.#loading.clear();
    if (name === undefined) this.#entries.clear();
    else this.#entries.delete(name);
  }
}
