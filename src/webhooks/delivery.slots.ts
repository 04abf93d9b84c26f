/**
 * What is known of an endpoint: it answers quickly (`proven`), nothing yet (`unknown`), or a request
 * to it has been waiting for an answer, or did (`slow`). Whoever hangs is slow a second later.
 */
export type Standing = "proven" | "unknown" | "slow";

/** Whoever asks for slots: several webhooks of a tenant share what is the tenant's. */
export type Holder = {
  readonly tenantId: string;
  readonly standing: Standing;
};

/** Of all slots: what endpoints can hold that have not proven themselves, all of them together. */
const UNPROVEN_SHARE = 3 / 4;
const UNKNOWN_SHARE = 1 / 4;
const SLOW_SHARE = 1 / 4;
/** For each slot that a tenant holds, so many are left for the others. */
const LEFT_PER_SLOT = 4;

/**
 * Requests that may be under way at once. Endpoints that hang can hold a part of them only: the rest
 * is for those that answer quickly, and for those that nobody has tried yet.
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

  /** With less than this to give away, nobody takes anything ahead of others. */
  get isCrowded(): boolean {
    return this.#all.isFilled(3 / 4);
  }

  /** Slow endpoints may have more than one request each as long as they leave room for others. */
  get isRoomyForSlow(): boolean {
    return !this.#slow.isFilled(1 / 2);
  }

  /** How many more the holder may take. */
  roomFor({ tenantId, standing }: Holder): number {
    let room = Number.POSITIVE_INFINITY;
    for (const pool of this.#pools[standing]) room = Math.min(room, pool.roomFor(tenantId));
    return room;
  }

  /** Takes so many, or gives them back when negative. What is under way is counted, allowed or not. */
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
   * Whoever holds some gets more only as long as several times as many are left: one tenant alone gets
   * a fifth, and of a hundred that want all they can get, each gets a few and leaves a few. So there is
   * something for whoever comes next and holds none, and quick answers make little go a long way.
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
