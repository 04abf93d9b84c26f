import type { LaneRequest } from "./delivery.repository.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";
import { Slots, type Standing } from "./delivery.slots.ts";

/** How many requests one endpoint gets at once: to begin with, and when it keeps up. */
const WINDOW_START = 10;
const WINDOW_MAX = 32;
/** So many answers in good time widen the window by one. */
const ANSWERS_PER_STEP = 10;
/** What is taken beyond the window is what the endpoint gets through in this time. */
const AHEAD_MS = 200;
const AHEAD_MAX = 400;
/** All lanes together: what is taken is held in memory. */
const AHEAD_MAX_OVERALL = 1_000;
/** A claim that saw the subscription enabled is good for this long. */
export const READY_MS_MAX = 500;
const LANES_PER_CLAIM = 100;
/** What an endpoint did this long ago says nothing of it any more. */
const REMEMBERED_MS = 60_000;

export type ReadyDelivery = { readonly delivery: ClaimedDelivery; readonly claimedAt: number };

/** What waits for one subscription, as far as this process knows. Times are those of `performance.now`. */
export class Lane {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly ready: ReadyDelivery[] = [];
  hasFirstAttempts = false;
  hasRetries = false;
  /** When the next retry is due, if one is known. */
  retryAt = Number.POSITIVE_INFINITY;
  pausedUntil = 0;
  inFlight = 0;
  /** Slots that are kept for what a claim under way will give. */
  asked = 0;
  isOrdered = false;
  /** Whose turn it was when there was room for one request only. */
  isTurnOfRetries = true;
  standing: Standing = "unknown";
  #window = WINDOW_START;
  #answers = 0;
  #doneSinceClaim = 0;
  #lastClaimAt = Number.NEGATIVE_INFINITY;
  #ahead = 0;

  constructor(tenantId: string, webhookId: string) {
    this.tenantId = tenantId;
    this.webhookId = webhookId;
  }

  get window(): number {
    return this.isOrdered ? 1 : this.#window;
  }

  get hasWork(): boolean {
    return this.hasFirstAttempts || this.hasRetries;
  }

  /** How many requests it may have under way. Whoever may be hanging is tried with one. */
  limit(isRoomyForSlow: boolean): number {
    const isOpen = this.standing === "proven" || (this.standing === "slow" && isRoomyForSlow);
    return isOpen ? this.window : 1;
  }

  /** Nothing waits, and nothing that is remembered of it matters any more. */
  isForgettable(now: number): boolean {
    return (
      this.inFlight === 0 &&
      this.asked === 0 &&
      this.ready.length === 0 &&
      !this.hasWork &&
      this.retryAt === Number.POSITIVE_INFINITY &&
      now - this.#lastClaimAt > REMEMBERED_MS
    );
  }

  /** An endpoint that does not keep up gets less at once, one that does gets more. */
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

  /** What to claim with so many slots: first for those, then ahead. Asking seldom for much costs less. */
  want(limit: number, slots: number, aheadMax: number): { atOnce: number; ahead: number } {
    const mayGoAhead = this.standing === "proven" && !this.isOrdered;
    const target = limit + (mayGoAhead ? this.#ahead : 0);
    const missing = target - this.inFlight - this.asked - this.ready.length;
    if (missing <= 0 || (this.ready.length > 0 && missing < target / 2)) {
      return { atOnce: 0, ahead: 0 };
    }
    const free = Math.max(0, limit - this.inFlight - this.asked - this.ready.length);
    const atOnce = Math.min(free, slots);
    // What is taken ahead begins when something of its own ends.
    const goesOn = this.inFlight + atOnce > 0;
    return { atOnce, ahead: goesOn ? Math.min(missing - free, Math.max(0, aheadMax)) : 0 };
  }

  noteClaim(now: number): void {
    // Idle time says nothing of how fast the endpoint is; what it did long ago says nothing either.
    const wasIdle = this.inFlight === 0 && this.ready.length === 0;
    const elapsed = Math.max(1, now - this.#lastClaimAt);
    const ahead = Math.floor((this.#doneSinceClaim / elapsed) * AHEAD_MS);
    if (!wasIdle) this.#ahead = Math.min(AHEAD_MAX, ahead);
    this.#doneSinceClaim = 0;
    this.#lastClaimAt = now;
  }
}

/** What a lane may claim now, and the slots that are kept for it meanwhile. */
export type PlannedClaim = LaneRequest & { readonly lane: Lane; readonly slots: number };

/** All subscriptions for which something waits, and whose turn it is. */
export class Lanes {
  readonly #slots: Slots;
  readonly #lanes = new Map<string, Lane>();
  /** Those with work, in the order of their turns. */
  readonly #line = new Set<Lane>();
  #ready = 0;
  /** No lane has anything to do by time before this. */
  #nextTimeAt = Number.POSITIVE_INFINITY;

  constructor(slotsMax: number) {
    this.#slots = new Slots(slotsMax);
  }

  get slotsTaken(): number {
    return this.#slots.taken;
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  get(tenantId: string, webhookId: string): Lane {
    const key = `${tenantId} ${webhookId}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = new Lane(tenantId, webhookId);
    this.#lanes.set(key, lane);
    return lane;
  }

  /** Something may be due for it. */
  wake(lane: Lane, what: { readonly firstAttempts?: boolean; readonly retries?: boolean }): void {
    if (what.firstAttempts === true) lane.hasFirstAttempts = true;
    if (what.retries === true) lane.hasRetries = true;
    if (lane.hasWork) this.#line.add(lane);
  }

  noteRetry(lane: Lane, at: number): void {
    lane.retryAt = Math.min(lane.retryAt, at);
    this.#nextTimeAt = Math.min(this.#nextTimeAt, at);
  }

  pause(lane: Lane, until: number): void {
    lane.pausedUntil = until;
    this.#nextTimeAt = Math.min(this.#nextTimeAt, until);
  }

  /** It answered quickly, whatever it said. */
  noteQuick(lane: Lane): void {
    this.#setStanding(lane, "proven");
  }

  /** A request to it waits longer than that. */
  noteSlow(lane: Lane): void {
    this.#setStanding(lane, "slow");
  }

  /** Whether one more request of the lane may begin. */
  hasRoom(lane: Lane): boolean {
    return lane.inFlight < lane.limit(this.#slots.isRoomyForSlow) && this.#slots.roomFor(lane) > 0;
  }

  noteStart(lane: Lane): void {
    lane.inFlight += 1;
    this.#slots.count(lane, 1);
  }

  noteEnd(lane: Lane): void {
    lane.inFlight -= 1;
    this.#slots.count(lane, -1);
  }

  addReady(lane: Lane, ready: ReadyDelivery): void {
    lane.ready.push(ready);
    this.#ready += 1;
  }

  takeReady(lane: Lane): ReadyDelivery | undefined {
    const next = lane.ready.shift();
    if (next !== undefined) this.#ready -= 1;
    return next;
  }

  /** All of them without a time. */
  takeReadyBefore(lane: Lane, claimedAt = Number.POSITIVE_INFINITY): ReadyDelivery[] {
    const isYounger = (one: ReadyDelivery) => one.claimedAt >= claimedAt;
    const count = lane.ready.findIndex(isYounger);
    const taken = lane.ready.splice(0, count === -1 ? lane.ready.length : count);
    this.#ready -= taken.length;
    return taken;
  }

  /**
   * What to claim now. Who gets something stands at the end of the line afterwards; who finds no room
   * keeps its place. The slots are kept until `endClaims`.
   */
  plan(now: number): PlannedClaim[] {
    this.#noteTime(now);
    const claims: PlannedClaim[] = [];
    let ahead = this.#slots.isCrowded ? 0 : AHEAD_MAX_OVERALL - this.#ready;
    for (const lane of this.#line) {
      if (claims.length === LANES_PER_CLAIM) break;
      if (!lane.hasWork) this.#line.delete(lane);
      if (!lane.hasWork || now < lane.pausedUntil) continue;
      const limit = lane.limit(this.#slots.isRoomyForSlow);
      const want = lane.want(limit, this.#slots.roomFor(lane), ahead);
      if (want.atOnce + want.ahead === 0) continue;
      claims.push({ ...requestOf(lane, want.atOnce + want.ahead), lane, slots: want.atOnce });
      ahead -= want.ahead;
      lane.asked += want.atOnce;
      this.#slots.count(lane, want.atOnce);
      lane.noteClaim(now);
    }
    for (const { lane } of claims) {
      this.#line.delete(lane);
      this.#line.add(lane);
    }
    return claims;
  }

  /** Whatever they gave: what begins now takes its slots itself. */
  endClaims(claims: readonly PlannedClaim[]): void {
    for (const { lane, slots } of claims) {
      lane.asked -= slots;
      this.#slots.count(lane, -slots);
    }
  }

  /** When to look again: the next retry is due, or a pause is over. */
  get nextLookAt(): number {
    return this.#nextTimeAt;
  }

  forgetIdle(now: number): void {
    for (const [key, lane] of this.#lanes) if (lane.isForgettable(now)) this.#lanes.delete(key);
  }

  #noteTime(now: number): void {
    if (now < this.#nextTimeAt) return;
    this.#nextTimeAt = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      if (lane.retryAt <= now) {
        lane.retryAt = Number.POSITIVE_INFINITY;
        this.wake(lane, { retries: true });
      }
      const resumesAt = lane.pausedUntil > now ? lane.pausedUntil : Number.POSITIVE_INFINITY;
      this.#nextTimeAt = Math.min(this.#nextTimeAt, lane.retryAt, resumesAt);
    }
  }

  #setStanding(lane: Lane, standing: Standing): void {
    if (lane.standing === standing) return;
    const held = lane.inFlight + lane.asked;
    this.#slots.count(lane, -held);
    lane.standing = standing;
    this.#slots.count(lane, held);
  }
}

/** First attempts go before retries, which keep a foot in the door. */
function requestOf(lane: Lane, count: number): LaneRequest {
  const { tenantId, webhookId } = lane;
  const retries = retriesOf(lane, count);
  return { tenantId, webhookId, firstAttempts: count - retries, retries };
}

function retriesOf(lane: Lane, count: number): number {
  if (!lane.hasRetries) return 0;
  if (!lane.hasFirstAttempts) return count;
  if (count > 1) return 1;
  lane.isTurnOfRetries = !lane.isTurnOfRetries;
  return lane.isTurnOfRetries ? 1 : 0;
}
