/** Google's published rate for each issuer. */
const PER_SECOND = 20;

/** Requests that an issuer may still send, filled up again as time passes. */
export class Quota {
  readonly #issuers = new Map<string, { left: number; at: number }>();
  #perSecond = PER_SECOND;

  get perSecond(): number {
    return this.#perSecond;
  }

  set perSecond(perSecond: number) {
    this.#perSecond = perSecond;
    this.#issuers.clear();
  }

  take(issuerId: string): boolean {
    const now = performance.now();
    const known = this.#issuers.get(issuerId) ?? { left: this.#perSecond, at: now };
    const filled = known.left + ((now - known.at) / 1_000) * this.#perSecond;
    const left = Math.min(this.#perSecond, filled);
    this.#issuers.set(issuerId, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1;
  }
}
