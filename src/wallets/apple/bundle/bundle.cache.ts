import { RecentMap } from "#kernel/recent-map.ts";

type Sized = { readonly sizeBytes: number };

/** What an entry needs beside its bytes, so that empty entries count, too. */
const ENTRY_BYTES = 1_024;

/** Keeps the values that were used last, within a limit of bytes. */
export class RecentBytes<Key, Value extends Sized> {
  readonly #sizeBytesMax: number;
  /** In the order of use, the least recently used first. */
  readonly #values = new Map<Key, Value>();
  #sizeBytes = 0;

  constructor(sizeBytesMax: number) {
    this.#sizeBytesMax = sizeBytesMax;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#sizeBytes += value.sizeBytes + ENTRY_BYTES;
    for (const oldest of this.#values.keys()) {
      if (this.#sizeBytes <= this.#sizeBytesMax) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#sizeBytes -= value.sizeBytes + ENTRY_BYTES;
  }

  clear(): void {
    this.#values.clear();
    this.#sizeBytes = 0;
  }
}

export type KeptBundle = Sized & {
  /** The versions that the bundle was made from. The same versions give the same content. */
  readonly stamp: string;
  readonly fingerprint: string;
  /** The bundle without the files that it shares with other passes. */
  readonly rest: Buffer;
};

/** Far more passes than are erased while one bundle is made. */
const ERASED_KEPT_MAX = 20_000;

/** Signed bundles, one for each pass. They hold personal data, so erased passes are forgotten. */
export class BundleCache {
  readonly #bundles: RecentBytes<string, KeptBundle>;
  /** The keys of passes that were erased lately. No pass gets the key of an erased pass again. */
  readonly #erased = new RecentMap<true>(ERASED_KEPT_MAX);
  #clearings = 0;

  constructor(sizeBytesMax: number) {
    this.#bundles = new RecentBytes(sizeBytesMax);
  }

  get sizeBytes(): number {
    return this.#bundles.sizeBytes;
  }

  /** How often the cache was cleared. What was read before a clearing must not be kept after it. */
  get clearings(): number {
    return this.#clearings;
  }

  get(key: string): KeptBundle | undefined {
    return this.#bundles.get(key);
  }

  set(key: string, bundle: KeptBundle, clearings: number): void {
    if (clearings !== this.#clearings || this.#erased.get(key)) return;
    this.#bundles.set(key, bundle);
  }

  erase(key: string): void {
    this.#erased.set(key, true);
    this.#bundles.delete(key);
  }

  clear(): void {
    this.#bundles.clear();
    this.#clearings += 1;
  }
}
