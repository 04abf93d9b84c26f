import type { RateDecision } from "./ports.ts";
import type { RateLimit } from "./route.ts";

/** What the database gave: a portion of one window's quota. */
export type Lease = {
  /** The same on every node for the same window, and different for any other. */
  readonly window: number;
  readonly granted: number;
  /** Not leased by any node yet. */
  readonly left: number;
  readonly endsInMs: number;
};

export type Taking = "taken" | "refused" | "lease-needed";

/** No lease ahead of demand is larger than this part of the limit. */
const PORTION_OF_LIMIT = 40;
/** Nor than this part of what is left, so that portions shrink to single tokens near the end. */
const PORTION_OF_REST = 8;
/** Below this size a lease is only made for requests that wait for it. */
const PORTION_AHEAD_MIN = 4;

/**
 * One node's share of one credential's quota for one operation. Holds no clock and does no I/O:
 * `now` is any clock of this process that never steps back, in milliseconds.
 *
 * A node begins each window with what its first requests need and asks for twice as much each time
 * it comes back, so it never sits on more tokens than it has just spent: those are the tokens other
 * nodes can miss at the end of a window.
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

  /** A limit changed in the middle of a window counts from the next lease on. */
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

  /** True when the next portion should be fetched before anyone has to wait for it. */
  isRunningLow(now: number): boolean {
    return (
      this.#portion >= PORTION_AHEAD_MIN &&
      this.#tokens * 2 <= this.#portion &&
      this.#left > 0 &&
      now < this.#endsAt
    );
  }

  /** How many tokens to ask for, with so many requests waiting for one. */
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

  /** `askedAt`, not now: on the way here the window came nearer to its end by an unknown amount. */
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

  /** While there is nobody to lease from: this node alone keeps to the limit. */
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
    // At least one, so that the next request asks the database again as soon as there is one.
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
