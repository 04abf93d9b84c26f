/**
 * The places for runs in one process. Runs that mostly wait for work elsewhere have places of their
 * own (a lane): otherwise a few of them, each waiting for hours, would keep all others from running.
 */

type Limits = { readonly all: number; readonly ofTenant: number };

/** Runs that work mostly wait for the database or for other servers. */
const WORKING: Limits = { all: 8, ofTenant: 2 };
/** A run that waits costs one short query every second or two. */
const WAITING: Limits = { all: 100, ofTenant: 4 };

export class Lane {
  /** True for the runs that mostly wait. */
  readonly waits: boolean;
  readonly #limits: Limits;
  readonly #byTenant = new Map<string, number>();
  #next: string[] = [];
  #count = 0;
  #isWanted = false;

  constructor(waits: boolean, limits: Limits) {
    this.waits = waits;
    this.#limits = limits;
  }

  get free(): number {
    return this.#limits.all - this.#count;
  }

  /** Tenants that have all the places that one tenant may have. */
  get fullTenants(): string[] {
    return [...this.#byTenant]
      .filter(([, count]) => count >= this.#limits.ofTenant)
      .map(([tenantId]) => tenantId);
  }

  /** Notes that somebody may wait for a place. */
  want(): void {
    this.#isWanted = true;
  }

  /** Remembers who waits, in this order, and returns those for whom there are places now. */
  line(tenantIds: readonly string[]): readonly string[] {
    this.#next = tenantIds.slice(this.free);
    if (this.#next.length > 0) this.want();
    return tenantIds.slice(0, this.free);
  }

  take(tenantId: string): boolean {
    if (this.free <= 0) {
      this.want();
      return false;
    }
    const own = this.#byTenant.get(tenantId) ?? 0;
    if (own >= this.#limits.ofTenant) return false;
    this.#byTenant.set(tenantId, own + 1);
    this.#count += 1;
    return true;
  }

  /** Frees a place. Returns who is next; `anybody` if somebody waits and it is not known who. */
  leave(tenantId: string): { readonly next: string } | "anybody" | undefined {
    const left = (this.#byTenant.get(tenantId) ?? 1) - 1;
    if (left === 0) this.#byTenant.delete(tenantId);
    else this.#byTenant.set(tenantId, left);
    this.#count -= 1;
    const next = this.#next.shift();
    if (next !== undefined) return { next };
    const isWanted = this.#isWanted;
    this.#isWanted = false;
    return isWanted ? "anybody" : undefined;
  }
}

/** A place in each lane that has one. A run needs one of them; the other one is given back. */
export type Reservation = {
  /** The lanes with a place: `true` for runs that wait, `false` for those that work. */
  readonly lanes: readonly boolean[];
  /** Keeps the place in this lane only. Returns the function that frees it. */
  keep(waits: boolean): () => void;
  release(): void;
};

export type PlaceEvents = {
  /** A place is free for this tenant. */
  onNext(tenantId: string): void;
  /** A place is free, and somebody waits for it. */
  onFree(): void;
};

export class RunPlaces {
  readonly lanes: readonly Lane[] = [new Lane(false, WORKING), new Lane(true, WAITING)];
  readonly #events: PlaceEvents;

  constructor(events: PlaceEvents) {
    this.#events = events;
  }

  /** Places are taken before the claim, because several tenants are served at the same time. */
  reserve(tenantId: string): Reservation {
    const taken = this.lanes.filter((lane) => lane.take(tenantId));
    return {
      lanes: taken.map(({ waits }) => waits),
      keep: (waits) => {
        const kept = taken.filter((lane) => lane.waits === waits);
        this.#free(
          taken.filter((lane) => lane.waits !== waits),
          tenantId,
        );
        return () => this.#free(kept, tenantId);
      },
      release: () => this.#free(taken, tenantId),
    };
  }

  #free(lanes: readonly Lane[], tenantId: string): void {
    for (const lane of lanes) {
      const waiting = lane.leave(tenantId);
      if (waiting === "anybody") this.#events.onFree();
      else if (waiting !== undefined) this.#events.onNext(waiting.next);
    }
  }
}
