/**
 * A map that drops entries that were not used lately: it keeps between half of `sizeMax` and
 * `sizeMax` entries. It has two generations instead of a list in order of use, because a lookup is
 * then cheap.
 */
export class RecentMap<Value> {
  readonly #generationSizeMax: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(sizeMax: number) {
    this.#generationSizeMax = Math.max(1, Math.floor(sizeMax / 2));
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#generationSizeMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
