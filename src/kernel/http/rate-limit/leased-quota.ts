import type { RateDecision } from "../ports.ts";
import type { RateLimit } from "../route.ts";

/** A portion of one window's quota, granted by the database. */
export type Lease = {
  /** Identifies the window; the same number on every node. */
  readonly window: number;
  readonly granted: number;
  /** Tokens of the window that no node has leased yet. */
  readonly left: number;
  readonly endsInMs: number;
};

export type Taking = "taken" | "refused" | "lease-needed";

/** A lease made in advance is at most this fraction of the limit: 1/40. */
const PORTION_OF_LIMIT = 40;
/** It is also at most 1/8 of the tokens left, so portions shrink to single tokens near the end. */
const PORTION_OF_REST = 8;
/** Portions smaller than this are leased only for requests that are waiting. */
const PORTION_AHEAD_MIN = 4;

/**
 * One node's share of one credential's quota for one operation. It has no clock and does no I/O:
 * `now` is any clock of this process that never goes back, in milliseconds.
 *
 * In each window, a node first leases what its first requests need, and twice as much each further
 * time. So it never holds more unused tokens than it has just spent; unused tokens are what other
 * nodes may lack at the end of a window.
 */
export class LeasedQuota {
  readonly #windowSeconds: number;
  #limit: number;
  #window = Number.NaN;
  #endsAt = Number.NEGATIVE_INFINITY;
  #tokens = 0;
  #left = 0;
  #spent = 0;
  #portion = 0;

  constructor({ limit, windowSeconds }: RateLimit) {
    this.#limit = limit;
    this.#windowSeconds = windowSeconds;
  }

  /** A limit that changes within a window takes effect with the next lease. */
  setLimit(limit: number): void {
    if (limit === this.#limit) return;
    this.#left = Math.max(0, this.#left + limit - this.#limit);
    this.#limit = limit;
  }

  take(now: number): Taking {
    if (now >= this.#endsAt) return "lease-needed";
    if (this.#tokens > 0) {
      this.#tokens -= 1;
      this.#spent += 1;
      return "taken";
    }
    return this.#left > 0 ? "lease-needed" : "refused";
  }

  /** True if the next portion should be leased now, before a request has to wait for it. */
  isRunningLow(now: number): boolean {
    return (
      this.#portion >= PORTION_AHEAD_MIN &&
      this.#tokens * 2 <= this.#portion &&
      this.#left > 0 &&
      now < this.#endsAt
    );
  }

  /** The number of tokens to lease when `waiting` requests wait for one. */
  nextPortion(waiting: number, now: number): number {
    const ahead =
      now < this.#endsAt
        ? Math.min(
            this.#portion * 2,
            Math.floor(this.#limit / PORTION_OF_LIMIT),
            Math.floor(this.#left / PORTION_OF_REST),
          )
        : 0;
    return Math.max(1, waiting, ahead);
  }

  /**
   * `askedAt` is the time of the request, because the way of the answer here took an unknown part
   * of `endsInMs`.
   */
  add({ window, granted, left, endsInMs }: Lease, askedAt: number): void {
    if (window !== this.#window) {
      this.#window = window;
      this.#tokens = 0;
      this.#spent = 0;
    }
    this.#endsAt = askedAt + endsInMs;
    this.#tokens += granted;
    this.#portion = granted;
    this.#left = left;
  }

  /** Takes a token while the database does not answer: this node then applies the limit alone. */
  takeAlone(now: number): Taking {
    if (now >= this.#endsAt) {
      this.#window = Number.NaN;
      this.#endsAt = now + this.#windowSeconds * 1_000;
      this.#tokens = 0;
      this.#spent = 0;
      this.#portion = 0;
    }
    const isAllowed = this.#spent < this.#limit;
    if (isAllowed) this.#spent += 1;
    // At least one token, so that the next request tries the database again.
    this.#left = Math.max(1, this.#limit - this.#spent);
    return isAllowed ? "taken" : "refused";
  }

  describe(taking: Taking, now: number): RateDecision {
    const allowed = taking === "taken";
    return {
      allowed,
      limit: this.#limit,
      windowSeconds: this.#windowSeconds,
      remaining: allowed
        ? Math.max(0, Math.min(this.#tokens + this.#left, this.#limit - this.#spent))
        : 0,
      resetSeconds: Math.max(1, Math.ceil((this.#endsAt - now) / 1_000)),
    };
  }
}
