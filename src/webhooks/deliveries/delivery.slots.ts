/**
 * What is known of an endpoint: it answers quickly (`proven`), it was not tried yet (`unknown`), or
 * a request waits or waited long for an answer (`slow`). An endpoint that hangs becomes slow after
 * one second.
 */
export type Standing = "proven" | "unknown" | "slow";

/** A lane that asks for slots; all webhooks of a tenant share the tenant's slots. */
export type Holder = {
  readonly tenantId: string;
  readonly standing: Standing;
};

/** Shares of all slots that endpoints can hold together if they are not proven. */
const UNPROVEN_SHARE = 3 / 4;
const UNKNOWN_SHARE = 1 / 4;
const SLOW_SHARE = 1 / 4;
/** For each slot that a tenant holds, so many must be left for others. */
const LEFT_PER_SLOT = 4;

/**
 * The requests that may be under way at once. Endpoints that hang can hold only a part of the
 * slots; the rest is for endpoints that answer quickly and for those that were not tried yet.
 */
export class Slots {
  readonly #all: Pool;
  readonly #pools: Readonly<Record<Standing, readonly Pool[]>>;
  readonly #slow: Pool;

  constructor(slotsMax: number) {
    const share = (part: number) => new Pool(Math.max(1, Math.floor(slotsMax * part)));
    const [all, unproven] = [new Pool(slotsMax), share(UNPROVEN_SHARE)];
    this.#all = all;
    this.#slow = share(SLOW_SHARE);
    this.#pools = {
      proven: [all],
      unknown: [all, unproven, share(UNKNOWN_SHARE)],
      slow: [all, unproven, this.#slow],
    };
  }

  get taken(): number {
    return this.#all.taken;
  }

  /** True if so many slots are taken that nothing should be claimed in advance. */
  get isCrowded(): boolean {
    return this.#all.isFilled(3 / 4);
  }

  /** Slow endpoints may have more than one request each only while half of their slots are free. */
  get isRoomyForSlow(): boolean {
    return !this.#slow.isFilled(1 / 2);
  }

  /** How many more slots the holder may take. */
  roomFor({ tenantId, standing }: Holder): number {
    let room = Number.POSITIVE_INFINITY;
    for (const pool of this.#pools[standing]) room = Math.min(room, pool.roomFor(tenantId));
    return room;
  }

  /**
   * Takes slots, or gives them back if `change` is negative. Requests under way are always counted,
   * even beyond the limits.
   */
  count({ tenantId, standing }: Holder, change: number): void {
    for (const pool of this.#pools[standing]) pool.count(tenantId, change);
  }
}

class Pool {
  readonly #max: number;
  readonly #byTenant = new Map<string, number>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  isFilled(share: number): boolean {
    return this.#taken >= this.#max * share;
  }

  /**
   * A tenant that holds slots gets more only while several times as many are free: one tenant alone
   * gets a fifth of all slots, and of a hundred busy tenants each gets a few. So there are always
   * free slots for a tenant that holds none, and with quick answers a few slots are enough.
   */
  roomFor(tenantId: string): number {
    const own = this.#byTenant.get(tenantId) ?? 0;
    const left = this.#max - this.#taken - LEFT_PER_SLOT * own;
    return Math.max(0, Math.ceil(left / (LEFT_PER_SLOT + 1)));
  }

  count(tenantId: string, change: number): void {
    this.#taken += change;
    const own = (this.#byTenant.get(tenantId) ?? 0) + change;
    if (own === 0) this.#byTenant.delete(tenantId);
    else this.#byTenant.set(tenantId, own);
  }
}
