import type { DeliveryBatch } from "./delivery.batch.ts";
import type { LaneRequest } from "./delivery.repository.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";
import type { Standing } from "./delivery.slots.ts";

/** The number of requests that one endpoint gets at once: at the start, and at most. */
const WINDOW_START = 10;
const WINDOW_MAX = 32;
/** After so many quick answers, the window grows by one. */
const ANSWERS_PER_STEP = 10;
/** Beyond the window, as many deliveries are claimed as the endpoint handles in this time. */
const AHEAD_MS = 200;
const AHEAD_MAX = 800;
/** After this time, the past behaviour of an endpoint no longer matters. */
const REMEMBERED_MS = 60_000;

export type ReadyDelivery = {
  readonly delivery: ClaimedDelivery;
  /** The time at which the subscription was read. */
  readonly claimedAt: number;
  readonly batch: DeliveryBatch;
};

export type LaneWork = { readonly firstAttempts?: boolean; readonly retries?: boolean };

/**
 * The waiting deliveries of one subscription, as far as this process knows them. Times are those of
 * `performance.now`. State that concerns other lanes too, such as slots, is changed through `Lanes`
 * only.
 */
export class Lane {
  readonly tenantId: string;
  readonly webhookId: string;
  #ready: ReadyDelivery[] = [];
  #hasFirstAttempts = false;
  #hasRetries = false;
  /** When the next retry is due, if that is known. */
  #retryAt = Number.POSITIVE_INFINITY;
  #pausedUntil = 0;
  #inFlight = 0;
  /** Slots reserved for the result of a claim that is under way. */
  #asked = 0;
  #isOrdered = false;
  /** Whether the last single slot was used for a retry; first attempts and retries alternate. */
  #isTurnOfRetries = true;
  #standing: Standing = "unknown";
  #window = WINDOW_START;
  #answers = 0;
  #doneSinceClaim = 0;
  #lastClaimAt = Number.NEGATIVE_INFINITY;
  #ahead = 0;

  constructor(tenantId: string, webhookId: string) {
    this.tenantId = tenantId;
    this.webhookId = webhookId;
  }

  get standing(): Standing {
    return this.#standing;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The slots that this lane holds, for requests under way or for a claim. */
  get held(): number {
    return this.#inFlight + this.#asked;
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  get window(): number {
    return this.#isOrdered ? 1 : this.#window;
  }

  get hasWork(): boolean {
    return this.#hasFirstAttempts || this.#hasRetries;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /**
   * How many requests the lane may have under way. An endpoint that may be hanging gets only one.
   */
  limit(isRoomyForSlow: boolean): number {
    const isOpen = this.#standing === "proven" || (this.#standing === "slow" && isRoomyForSlow);
    return isOpen ? this.window : 1;
  }

  /** True if nothing waits and nothing remembered about the endpoint matters any more. */
  isForgettable(now: number): boolean {
    return (
      this.held === 0 &&
      this.#ready.length === 0 &&
      !this.hasWork &&
      this.#retryAt === Number.POSITIVE_INFINITY &&
      now - this.#lastClaimAt > REMEMBERED_MS
    );
  }

  /** Notes that deliveries may be due. */
  noteWork({ firstAttempts = false, retries = false }: LaneWork): void {
    if (firstAttempts) this.#hasFirstAttempts = true;
    if (retries) this.#hasRetries = true;
  }

  noteRetry(at: number): void {
    this.#retryAt = Math.min(this.#retryAt, at);
  }

  pause(until: number): void {
    this.#pausedUntil = until;
  }

  /** Notes retries whose time has come; returns the next time at which something happens. */
  noteTime(now: number): number {
    if (this.#retryAt <= now) {
      this.#retryAt = Number.POSITIVE_INFINITY;
      this.#hasRetries = true;
    }
    const resumesAt = this.isPaused(now) ? this.#pausedUntil : Number.POSITIVE_INFINITY;
    return Math.min(this.#retryAt, resumesAt);
  }

  /** An endpoint that does not keep up gets fewer requests at once, one that does gets more. */
  noteAnswer(keepsUp: boolean): void {
    this.#doneSinceClaim += 1;
    if (!keepsUp) {
      this.#window = Math.max(1, Math.floor(this.#window / 2));
      this.#answers = 0;
      return;
    }
    this.#answers += 1;
    if (this.#answers % ANSWERS_PER_STEP === 0) {
      this.#window = Math.min(WINDOW_MAX, this.#window + 1);
    }
  }

  /**
   * How many deliveries to claim: first for the free slots, then in advance. Few large claims cost
   * less than many small ones.
   */
  want(limit: number, slots: number, aheadMax: number): { atOnce: number; ahead: number } {
    const mayGoAhead = this.#standing === "proven" && !this.#isOrdered;
    const target = limit + (mayGoAhead ? this.#ahead : 0);
    const missing = target - this.held - this.#ready.length;
    if (missing <= 0 || (this.#ready.length > 0 && missing < target / 2)) {
      return { atOnce: 0, ahead: 0 };
    }
    const free = Math.max(0, limit - this.held - this.#ready.length);
    const atOnce = Math.min(free, slots);
    // Deliveries claimed in advance start when a request of the same lane ends, so there must be
    // one.
    const goesOn = this.#inFlight + atOnce > 0;
    return { atOnce, ahead: goesOn ? Math.min(missing - free, Math.max(0, aheadMax)) : 0 };
  }

  /** Splits a claim of this size: mostly first attempts, but always some retries. */
  request(count: number): LaneRequest {
    const { tenantId, webhookId } = this;
    const retries = this.#retriesOf(count);
    return { tenantId, webhookId, firstAttempts: count - retries, retries };
  }

  /** Notes a planned claim and reserves slots for it. */
  planClaim(now: number, slots: number): void {
    this.#asked += slots;
    // Idle time is not counted, because it does not show how fast the endpoint is.
    const wasIdle = this.#inFlight === 0 && this.#ready.length === 0;
    const elapsed = Math.max(1, now - this.#lastClaimAt);
    const ahead = Math.floor((this.#doneSinceClaim / elapsed) * AHEAD_MS);
    if (!wasIdle) this.#ahead = Math.min(AHEAD_MAX, ahead);
    this.#doneSinceClaim = 0;
    this.#lastClaimAt = now;
  }

  /**
   * Called when the claim is sent: a hint from now on may be about a row that the claim does not
   * see.
   */
  beginClaim({ firstAttempts, retries }: LaneRequest): void {
    if (firstAttempts > 0) this.#hasFirstAttempts = false;
    if (retries > 0) this.#hasRetries = false;
  }

  endClaim(slots: number): void {
    this.#asked -= slots;
  }

  addReady(ready: ReadyDelivery): void {
    this.#isOrdered = ready.delivery.target.ordered;
    this.#ready.push(ready);
  }

  takeReady(): ReadyDelivery | undefined {
    return this.#ready.shift();
  }

  /** Takes all deliveries that were claimed before this time. */
  takeReadyBefore(claimedAt: number): ReadyDelivery[] {
    const [oldest] = this.#ready;
    if (oldest === undefined || oldest.claimedAt >= claimedAt) return [];
    const count = this.#ready.findIndex((one) => one.claimedAt >= claimedAt);
    return this.#ready.splice(0, count === -1 ? this.#ready.length : count);
  }

  noteStart(): void {
    this.#inFlight += 1;
  }

  noteEnd(): void {
    this.#inFlight -= 1;
  }

  setStanding(standing: Standing): void {
    this.#standing = standing;
  }

  #retriesOf(count: number): number {
    if (!this.#hasRetries) return 0;
    if (!this.#hasFirstAttempts) return count;
    if (count > 1) return 1;
    this.#isTurnOfRetries = !this.#isTurnOfRetries;
    return this.#isTurnOfRetries ? 1 : 0;
  }
}
