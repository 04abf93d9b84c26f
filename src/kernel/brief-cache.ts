import { holding } from "./db/holding.ts";
import { RecentMap } from "./recent-map.ts";

/** Less than a second, so that a change takes effect in time even if its signal was lost. */
const AGE_MS_MAX = 900;
/**
 * For a call that holds a database connection: to load a value it would need a second one. What the call
 * found fresh when it began stays good until the call ends.
 */
const HELD_AGE_MS_MAX = 30_000;
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
  readonly #nowMs: () => number;

  constructor(load: (name: string) => Promise<Value>, nowMs = () => performance.now()) {
    this.#load = load;
    this.#nowMs = nowMs;
  }

  /** Returns a value even if it is too old, for callers that cannot wait. */
  last(name: string): { readonly value: Value; readonly isFresh: boolean } | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    return { value: entry.value, isFresh: this.#ageOf(entry) <= AGE_MS_MAX };
  }

  async get(name: string): Promise<Value> {
    const entry = this.#entries.get(name);
    const ageMsMax = holding.getStore()?.isHolding === true ? HELD_AGE_MS_MAX : AGE_MS_MAX;
    if (entry !== undefined && this.#ageOf(entry) <= ageMsMax) return entry.value;
    const loading = this.#loading.get(name) ?? this.#start(name);
    return await loading;
  }

  #start(name: string): Promise<Value> {
    const askedAt = this.#nowMs();
    const started = this.#load(name)
      .then((value) => {
        // A value that was read before `forget` was called must not be kept after it.
        if (this.#loading.get(name) === started) {
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

  #ageOf({ loadedAt }: Entry<Value>): number {
    return this.#nowMs() - loadedAt;
  }

  forget(name?: string): void {
    if (name === undefined) {
      this.#loading.clear();
      this.#entries.clear();
    } else {
      this.#loading.delete(name);
      this.#entries.delete(name);
    }
  }
}
