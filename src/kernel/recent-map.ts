/**
 * A map that forgets what was not used lately: it holds between half of `sizeMax` and all of it.
 * Two generations instead of a list in order of use: a lookup stays one lookup.
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
