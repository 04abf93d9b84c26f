/** The connections that one group holds now, and how many of them count as quick work. */
type Share = { held: number; quick: number; seenAt: number };

/** After so many looks without a request, a group no longer counts as present. */
const THERE_FOR = 5;

/**
 * Decides how many connections a group may hold at once. One quarter of the pool is always kept
 * free for other groups, so that their requests need not wait for one group's slow statements.
 * While several groups are present, each gets only one quarter of the pool for quick work:
 * processors are the limit, so more connections would hardly make one group faster but would make
 * the others slower. A statement that turns out to be slow no longer counts as quick work;
 * otherwise two long lists of a tenant would block all its other requests.
 */
export class ConnectionShares {
  readonly #sizeMax: number;
  readonly #part: number;
  /** The group of the service's own work, which has no limit. */
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

  /** Forgets groups that hold nothing and have asked for nothing lately. */
  look(): void {
    this.#looks += 1;
    for (const [group, { held, seenAt }] of this.#shares) {
      if (held > 0 || this.#looks - seenAt < THERE_FOR) continue;
      this.#shares.delete(group);
      if (group !== this.#common) this.#present -= 1;
    }
  }
}
