import type { DeliveryBatch } from "./delivery.batch.ts";
import { Lane, type LaneWork, type ReadyDelivery } from "./delivery.lane.ts";
import type { LaneRequest } from "./delivery.repository.ts";
import type { ClaimedDelivery } from "./delivery.schema.ts";
import { Slots, type Standing } from "./delivery.slots.ts";

/** For all lanes together, because claimed deliveries are in memory. */
const AHEAD_MAX_OVERALL = 1_000;
/** For this long, a claimed delivery may be sent without reading its subscription again. */
export const READY_MS_MAX = 500;
const LANES_PER_CLAIM = 100;

/** What a lane may claim now, and the slots reserved for it meanwhile. */
export type PlannedClaim = LaneRequest & { readonly lane: Lane; readonly slots: number };

/** Claimed deliveries, and the time at which their subscriptions were read. */
export type GivenDeliveries = {
  readonly claimed: readonly ClaimedDelivery[];
  readonly seenAt: number;
  readonly batch: DeliveryBatch;
};

/** All subscriptions with waiting deliveries, and the order in which they are served. */
export class Lanes {
  readonly #slots: Slots;
  readonly #lanes = new Map<string, Lane>();
  /** The lanes with work, in the order of their turns. */
  readonly #line = new Set<Lane>();
  #ready = 0;
  /** The earliest time at which a lane has something to do without being woken. */
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

  /** Notes that deliveries of this lane may be due. */
  wake(lane: Lane, what: LaneWork): void {
    lane.noteWork(what);
    if (lane.hasWork) this.#line.add(lane);
  }

  noteRetry(lane: Lane, at: number): void {
    lane.noteRetry(at);
    this.#nextTimeAt = Math.min(this.#nextTimeAt, at);
  }

  pause(lane: Lane, until: number): void {
    lane.pause(until);
    this.#nextTimeAt = Math.min(this.#nextTimeAt, until);
  }

  /** Notes that the endpoint answered quickly, with whatever status. */
  noteQuick(lane: Lane): void {
    this.#setStanding(lane, "proven");
  }

  /** Notes that a request to the endpoint has been waiting for longer than a quick answer takes. */
  noteSlow(lane: Lane): void {
    this.#setStanding(lane, "slow");
  }

  /** Whether one more request of the lane may start. */
  hasRoom(lane: Lane): boolean {
    return lane.inFlight < lane.limit(this.#slots.isRoomyForSlow) && this.#slots.roomFor(lane) > 0;
  }

  noteStart(lane: Lane): void {
    lane.noteStart();
    this.#slots.count(lane, 1);
  }

  noteEnd(lane: Lane): void {
    lane.noteEnd();
    this.#slots.count(lane, -1);
  }

  takeReady(lane: Lane): ReadyDelivery | undefined {
    const next = lane.takeReady();
    if (next !== undefined) this.#ready -= 1;
    return next;
  }

  /** Takes the lane's deliveries that were claimed before this time; by default all. */
  takeReadyBefore(lane: Lane, claimedAt = Number.POSITIVE_INFINITY): ReadyDelivery[] {
    const taken = lane.takeReadyBefore(claimedAt);
    this.#ready -= taken.length;
    return taken;
  }

  /**
   * Plans what to claim now. A lane that gets something moves to the end of the line; a lane
   * without free slots keeps its position. The slots are reserved until `endClaims`.
   */
  plan(now: number): PlannedClaim[] {
    this.#noteTime(now);
    const claims: PlannedClaim[] = [];
    let ahead = this.#slots.isCrowded ? 0 : AHEAD_MAX_OVERALL - this.#ready;
    for (const lane of this.#line) {
      if (claims.length === LANES_PER_CLAIM) break;
      if (!lane.hasWork) this.#line.delete(lane);
      if (!lane.hasWork || lane.isPaused(now)) continue;
      const limit = lane.limit(this.#slots.isRoomyForSlow);
      const want = lane.want(limit, this.#slots.roomFor(lane), ahead);
      if (want.atOnce + want.ahead === 0) continue;
      claims.push({ ...lane.request(want.atOnce + want.ahead), lane, slots: want.atOnce });
      ahead -= want.ahead;
      lane.planClaim(now, want.atOnce);
      this.#slots.count(lane, want.atOnce);
    }
    for (const { lane } of claims) {
      this.#line.delete(lane);
      this.#line.add(lane);
    }
    return claims;
  }

  /**
   * Called just before the claims are sent: a hint that arrives later must not count as answered.
   */
  beginClaims(claims: readonly PlannedClaim[]): void {
    for (const claim of claims) claim.lane.beginClaim(claim);
  }

  /** Notes that nothing was claimed, so everything requested still waits. */
  failClaims(claims: readonly PlannedClaim[]): void {
    for (const { lane, firstAttempts, retries } of claims) {
      this.wake(lane, { firstAttempts: firstAttempts > 0, retries: retries > 0 });
    }
  }

  /** Stores claimed deliveries as ready. A lane that got as much as it requested may have more. */
  addGiven(claims: readonly PlannedClaim[], { claimed, seenAt, batch }: GivenDeliveries): void {
    const given = Map.groupBy(claimed, ({ tenantId, webhookId }) => this.get(tenantId, webhookId));
    for (const [lane, own] of given) {
      for (const delivery of own) lane.addReady({ delivery, claimedAt: seenAt, batch });
    }
    this.#ready += claimed.length;
    for (const { lane, firstAttempts, retries } of claims) {
      const own = given.get(lane) ?? [];
      const retried = own.filter(({ isRetry }) => isRetry).length;
      this.wake(lane, {
        firstAttempts: firstAttempts > 0 && own.length - retried >= firstAttempts,
        retries: retries > 0 && retried >= retries,
      });
    }
  }

  /**
   * Frees the reserved slots, whatever was claimed: requests that start now take slots themselves.
   */
  endClaims(claims: readonly PlannedClaim[]): void {
    for (const { lane, slots } of claims) {
      lane.endClaim(slots);
      this.#slots.count(lane, -slots);
    }
  }

  /** When to look again: the next retry is due, or a pause ends. */
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
      this.#nextTimeAt = Math.min(this.#nextTimeAt, lane.noteTime(now));
      if (lane.hasWork) this.#line.add(lane);
    }
  }

  #setStanding(lane: Lane, standing: Standing): void {
    if (lane.standing === standing) return;
    this.#slots.count(lane, -lane.held);
    lane.setStanding(standing);
    this.#slots.count(lane, lane.held);
  }
}
