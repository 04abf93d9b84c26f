/** What one group has at the moment. */
type Share = { held: number; quick: number; seenAt: number };

/** Whoever asked for nothing so long, in looks, is not there. */
const THERE_FOR = 5;

/**
 * How many connections a group may have at once. A part of them is always kept for others, so that
 * whoever comes next need not wait for the slow statements of whoever came before. And while others are
 * there, a group gets only that same part for quick work: more would not make it faster by much, for
 * processors are the limit, but everybody else slower. What turns out to be slow no longer counts as
 * quick work, or two long lists of a tenant would keep all its other requests waiting.
 */
export class ConnectionShares {
  readonly #sizeMax: number;
  readonly #part: number;
  /** The machinery, whose work is everybody's: it is not held to a share. */
  readonly #common: string;
  readonly #shares = new Map<string, Share>();
  #looks = 0;
  #present = 0;

  constructor(sizeMax: number, common: string) {
    this.#sizeMax = sizeMax;
    this.#part = Math.floor(sizeMax / 4);
    this.#common = common;
  }

  get isEmpty(): boolean {
    for (const { held } of this.#shares.values()) if (held > 0) return false;
    return true;
  }

  mayHold(group: string): boolean {
    if (group === this.#common) return true;
    const share = this.#shares.get(group);
    if (share === undefined) return true;
    if (share.held >= this.#sizeMax - this.#part) return false;
    return this.#present < 2 || share.quick < Math.max(2, this.#part);
  }

  lend(group: string): void {
    const share = this.#shares.get(group);
    if (share === undefined) {
      this.#shares.set(group, { held: 1, quick: 1, seenAt: this.#looks });
      if (group !== this.#common) this.#present += 1;
      return;
    }
    share.held += 1;
    share.quick += 1;
    share.seenAt = this.#looks;
  }

  takeBack(group: string, isQuick: boolean): void {
    const share = this.#shares.get(group);
    if (share === undefined) throw new Error("A connection was given back that nobody has.");
    share.held -= 1;
    if (isQuick) share.quick -= 1;
  }

  becomeSlow(group: string): void {
    const share = this.#shares.get(group);
    if (share !== undefined) share.quick -= 1;
  }

  /** Forgets those who left. */
  look(): void {
    this.#looks += 1;
    for (const [group, { held, seenAt }] of this.#shares) {
      if (held > 0 || this.#looks - seenAt < THERE_FOR) continue;
      this.#shares.delete(group);
      if (group !== this.#common) this.#present -= 1;
    }
  }
}
