import type { LaneRequest } from "./delivery.repository.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";

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
/** With fewer requests than this to give away, nobody takes anything ahead of others. */
const SPARE_SHARE = 0.25;
/** A claim that saw the subscription enabled is good for this long. */
export const READY_MS_MAX = 500;
const LANES_PER_CLAIM = 100;
/** One tenant's share of all requests under way. */
const TENANT_SHARE = 0.25;

/** What an endpoint gets at once that has not answered lately, when half of the requests are taken. */
const UNPROVEN_WINDOW = 2;
const PROVEN_MS = 10_000;

export type ReadyDelivery = { readonly delivery: ClaimedDelivery; readonly claimedAt: number };

/** What waits for one subscription, as far as this process knows. */
export class Lane {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly ready: ReadyDelivery[] = [];
  hasFirstAttempts = false;
  hasRetries = false;
  /** When the next retry is due, if one is known. */
  retryAt: number | undefined;
  pausedUntil = 0;
  inFlight = 0;
  isOrdered = false;
  #window = WINDOW_START;
  #answers = 0;
  #doneSinceClaim = 0;
  #lastClaimAt = 0;
  #ahead = 0;
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(tenantId: string, webhookId: string) {
    this.tenantId = tenantId;
    this.webhookId = webhookId;
  }

  get window(): number {
    return this.isOrdered ? 1 : this.#window;
  }

  /** How many requests it may have under way. Who may be hanging leaves room for others. */
  limit(now: number, isRoomy: boolean): number {
    return isRoomy || this.#isProven(now) ? this.window : Math.min(this.window, UNPROVEN_WINDOW);
  }

  get isIdle(): boolean {
    return (
      this.inFlight === 0 &&
      this.ready.length === 0 &&
      !this.hasFirstAttempts &&
      !this.hasRetries &&
      this.retryAt === undefined
    );
  }

  /** An endpoint that does not keep up gets less at once, one that does gets more. */
  noteAnswer(isInGoodTime: boolean, now: number): void {
    this.#doneSinceClaim += 1;
    if (isInGoodTime) this.#provenAt = now;
    if (!isInGoodTime) {
      this.#window = Math.max(1, Math.floor(this.#window / 2));
      this.#answers = 0;
      return;
    }
    this.#answers += 1;
    if (this.#answers % ANSWERS_PER_STEP === 0) {
      this.#window = Math.min(WINDOW_MAX, this.#window + 1);
    }
  }

  /** How much to claim now. Asking seldom for much costs less than often for little. */
  want(now: number, isRoomy: boolean): number {
    if (now < this.pausedUntil || !this.hasWork) return 0;
    const target = this.limit(now, isRoomy) + (this.isOrdered ? 0 : this.#ahead);
    const missing = target - this.inFlight - this.ready.length;
    return this.ready.length === 0 || missing >= target / 2 ? Math.max(0, missing) : 0;
  }

  get hasWork(): boolean {
    return this.hasFirstAttempts || this.hasRetries;
  }

  /** So much of what it wants could begin at once. */
  room(now: number, isRoomy: boolean): number {
    return Math.max(0, this.limit(now, isRoomy) - this.inFlight - this.ready.length);
  }

  noteClaim(now: number): void {
    // Idle time says nothing of how fast the endpoint is; what it did long ago says nothing either.
    const wasIdle = this.inFlight === 0 && this.ready.length === 0;
    const elapsed = Math.max(1, now - this.#lastClaimAt);
    const ahead = Math.floor((this.#doneSinceClaim / elapsed) * AHEAD_MS);
    if (!wasIdle) this.#ahead = Math.min(AHEAD_MAX, ahead);
    else if (!this.#isProven(now)) this.#ahead = 0;
    this.#doneSinceClaim = 0;
    this.#lastClaimAt = now;
  }

  #isProven(now: number): boolean {
    return now - this.#provenAt < PROVEN_MS;
  }

  noteRetry(at: number): void {
    this.retryAt = this.retryAt === undefined ? at : Math.min(this.retryAt, at);
  }
}

/** All subscriptions for which something waits, and whose turn it is. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #inFlightByTenant = new Map<string, number>();
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
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

  /** Whether one more request of the lane may begin. */
  hasRoom(lane: Lane, slotsMax: number, now: number): boolean {
    const { tenantId } = lane;
    if (this.#inFlight >= slotsMax || this.#tenantRoom(tenantId, slotsMax) <= 0) return false;
    return lane.inFlight < lane.limit(now, this.#isRoomy(tenantId, slotsMax));
  }

  noteStart(lane: Lane): void {
    this.#count(lane, 1);
  }

  noteEnd(lane: Lane): void {
    this.#count(lane, -1);
  }

  /**
   * What to claim with so many requests to give away. Tenants share alike, and the subscriptions of
   * a tenant share what is the tenant's; who got something now stands at the end of the line. What
   * lies ready while others are under way counts against nobody's share.
   */
  plan(slots: number, slotsMax: number, now: number): LaneRequest[] {
    const roomy = (lane: Lane) => this.#isRoomy(lane.tenantId, slotsMax);
    const wanting = [...this.#lanes].filter(([, lane]) => lane.want(now, roomy(lane)) > 0);
    const byTenant = Map.groupBy(wanting, ([, lane]) => lane.tenantId);
    const requests: LaneRequest[] = [];
    let left = slots;
    let ahead = slots > slotsMax * SPARE_SHARE ? AHEAD_MAX_OVERALL - this.#countReady() : 0;
    const share = Math.ceil(slots / Math.max(1, byTenant.size));
    for (const [tenantId, lanes] of byTenant) {
      let own = Math.min(share, left, this.#tenantRoom(tenantId, slotsMax));
      for (const [key, lane] of lanes) {
        if (requests.length === LANES_PER_CLAIM) break;
        const [want, room] = [lane.want(now, roomy(lane)), lane.room(now, roomy(lane))];
        const atOnce = Math.max(0, Math.min(want, room, own));
        const later = Math.max(0, Math.min(want - room, ahead));
        if (atOnce + later === 0) continue;
        requests.push(requestOf(lane, atOnce + later));
        lane.noteClaim(now);
        own -= atOnce;
        left -= atOnce;
        ahead -= later;
        this.#moveToEnd(key, lane);
      }
    }
    return requests;
  }

  /** When to look again: the next retry is due, or a pause is over. */
  nextLookAt(now: number): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const { retryAt, pausedUntil, hasWork } of this.#lanes.values()) {
      if (retryAt !== undefined) next = Math.min(next, Math.max(retryAt, pausedUntil));
      if (hasWork && pausedUntil > now) next = Math.min(next, pausedUntil);
    }
    return Number.isFinite(next) ? next : undefined;
  }

  noteTime(now: number): void {
    for (const lane of this.#lanes.values()) {
      if (lane.retryAt === undefined || lane.retryAt > now) continue;
      lane.retryAt = undefined;
      lane.hasRetries = true;
    }
  }

  forgetIdle(): void {
    for (const [key, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(key);
  }

  #countReady(): number {
    let count = 0;
    for (const { ready } of this.#lanes.values()) count += ready.length;
    return count;
  }

  #tenantRoom(tenantId: string, slotsMax: number): number {
    return tenantShare(slotsMax) - (this.#inFlightByTenant.get(tenantId) ?? 0);
  }

  /** Half of all, and half of what the tenant may have, is free. */
  #isRoomy(tenantId: string, slotsMax: number): boolean {
    const room = this.#tenantRoom(tenantId, slotsMax);
    return this.#inFlight * 2 < slotsMax && room * 2 > tenantShare(slotsMax);
  }

  #moveToEnd(key: string, lane: Lane): void {
    this.#lanes.delete(key);
    this.#lanes.set(key, lane);
  }

  #count(lane: Lane, step: 1 | -1): void {
    lane.inFlight += step;
    this.#inFlight += step;
    const own = (this.#inFlightByTenant.get(lane.tenantId) ?? 0) + step;
    if (own === 0) this.#inFlightByTenant.delete(lane.tenantId);
    else this.#inFlightByTenant.set(lane.tenantId, own);
  }
}

function tenantShare(slotsMax: number): number {
  return Math.max(WINDOW_MAX, Math.floor(slotsMax * TENANT_SHARE));
}

/** First attempts go before retries, which keep a foot in the door. */
function requestOf(lane: Lane, count: number): LaneRequest {
  const { tenantId, webhookId, hasFirstAttempts, hasRetries } = lane;
  if (!hasRetries) return { tenantId, webhookId, firstAttempts: count, retries: 0 };
  if (!hasFirstAttempts) return { tenantId, webhookId, firstAttempts: 0, retries: count };
  return { tenantId, webhookId, firstAttempts: Math.max(1, count - 1), retries: 1 };
}
