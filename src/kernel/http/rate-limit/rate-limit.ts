import type { Database } from "../../db/database.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { RecentMap } from "../../recent-map.ts";
import type { RateDecision, RateLimitedRoute } from "../ports.ts";
import type { Method, RateLimit } from "../route.ts";
import { type Lease, LeasedQuota } from "./leased-quota.ts";
import { type LeaseRequest, leaseTokens } from "./rate-limit.repository.ts";

/**
 * Limits per tenant, credential and operation. A till scans a few times a minute, and a chain may
 * use one key for all its tills: 100 writes a second are about a thousand busy tills. A loader that
 * sends single passes reaches 6,000 a minute; for more there are bulk operations. Reads cost less
 * than half of a write.
 */
const READ_LIMIT: RateLimit = { limit: 12_000, windowSeconds: 60 };
const WRITE_LIMIT: RateLimit = { limit: 6_000, windowSeconds: 60 };

const QUOTAS_MAX = 50_000;
/** How long a request waits for a lease before the database counts as unavailable. */
const LEASE_TIMEOUT_MS = 1_000;
const AWAY_MS = 1_000;
/**
 * A request gets its token by the second lease at the latest; more leases are needed only if
 * windows end meanwhile.
 */
const LEASES_AWAITED_MAX = 5;

export type RateLimitOverrides = Readonly<Record<string, RateLimit>>;

type Overrides = RateLimitOverrides | undefined;

export type RateLimiterOptions = {
  readonly db: Pick<Database, "read">;
  readonly log: Log;
  /**
   * The limits that the tenant configured, by operation or as `default`. Called for every request.
   */
  readonly overrides?: (tenantId: string) => Overrides | Promise<Overrides>;
};

export type RateLimiter = {
  takeToken(
    tenantId: string,
    credentialId: string,
    route: RateLimitedRoute,
  ): RateDecision | Promise<RateDecision>;
};

export function defaultRateLimit(method: Method): RateLimit {
  return method === "GET" ? READ_LIMIT : WRITE_LIMIT;
}

/**
 * A tenant's `default` replaces our default, but not a limit that a route sets for itself: such a
 * limit protects something, and can be changed only by naming the operation.
 */
export function rateLimitFor(
  { op, method, rateLimit }: RateLimitedRoute,
  overrides: RateLimitOverrides | undefined,
): RateLimit {
  if (overrides === undefined) return rateLimit ?? defaultRateLimit(method);
  return (
    override(overrides, op) ??
    rateLimit ??
    override(overrides, "default") ??
    defaultRateLimit(method)
  );
}

function override(overrides: RateLimitOverrides, name: string): RateLimit | undefined {
  return Object.hasOwn(overrides, name) ? overrides[name] : undefined;
}

/**
 * Creates limits that all nodes share without a database query per request: see
 * docs/adr/0003-rate-limits-by-lease.md.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  return new LeasingRateLimiter(options);
}

type Share = {
  readonly quota: LeasedQuota;
  readonly place: Omit<LeaseRequest, "limit" | "wanted">;
  limit: number;
  waiting: number;
  leasing: Promise<void> | undefined;
};

class LeasingRateLimiter implements RateLimiter {
  readonly #db: RateLimiterOptions["db"];
  readonly #log: Log;
  readonly #overrides: NonNullable<RateLimiterOptions["overrides"]>;
  readonly #shares = new RecentMap<Share>(QUOTAS_MAX);
  #isAway = false;
  #nextAttemptAt = 0;

  constructor({ db, log, overrides = () => undefined }: RateLimiterOptions) {
    this.#db = db;
    this.#log = log;
    this.#overrides = overrides;
  }

  takeToken(
    tenantId: string,
    credentialId: string,
    route: RateLimitedRoute,
  ): RateDecision | Promise<RateDecision> {
    const overrides = this.#overrides(tenantId);
    const take = (known: Overrides) =>
      this.#take(this.#shareOf(tenantId, credentialId, route.op, rateLimitFor(route, known)));
    return overrides instanceof Promise ? overrides.then(take) : take(overrides);
  }

  #take(share: Share): RateDecision | Promise<RateDecision> {
    const now = performance.now();
    const taking = share.quota.take(now);
    if (taking === "lease-needed") {
      return this.#isAway ? this.#takeAlone(share, now) : this.#takeFromLease(share);
    }
    if (share.quota.isRunningLow(now) && this.#mayAsk(now)) void this.#lease(share);
    return share.quota.describe(taking, now);
  }

  #shareOf(tenantId: string, credentialId: string, op: string, rate: RateLimit): Share {
    const { limit, windowSeconds } = rate;
    // The key is unambiguous, because only the last part, the credential, may contain a space.
    const key = `${tenantId} ${op} ${windowSeconds} ${credentialId}`;
    let share = this.#shares.get(key);
    if (share === undefined) {
      const place = { tenantId, credentialId, op, windowSeconds };
      share = { quota: new LeasedQuota(rate), place, limit, waiting: 0, leasing: undefined };
      this.#shares.set(key, share);
    }
    if (share.limit !== limit) {
      share.limit = limit;
      share.quota.setLimit(limit);
    }
    return share;
  }

  async #takeFromLease(share: Share): Promise<RateDecision> {
    share.waiting += 1;
    try {
      for (let count = 0; count < LEASES_AWAITED_MAX && !this.#isAway; count += 1) {
        await this.#lease(share);
        const now = performance.now();
        const taking = share.quota.take(now);
        if (taking !== "lease-needed") return share.quota.describe(taking, now);
      }
    } finally {
      share.waiting -= 1;
    }
    return this.#takeAlone(share, performance.now());
  }

  #takeAlone(share: Share, now: number): RateDecision {
    // Not awaited: this request must not wait for a database that is probably still unavailable.
    if (this.#mayAsk(now)) void this.#lease(share);
    return share.quota.describe(share.quota.takeAlone(now), now);
  }

  /** Always true while the database answers; otherwise true once per `AWAY_MS`. */
  #mayAsk(now: number): boolean {
    if (!this.#isAway) return true;
    if (now < this.#nextAttemptAt) return false;
    this.#nextAttemptAt = now + AWAY_MS;
    return true;
  }

  /** Leases once at a time for each share; never rejects. */
  #lease(share: Share): Promise<void> {
    share.leasing ??= this.#askDatabase(share).finally(() => {
      share.leasing = undefined;
    });
    return share.leasing;
  }

  async #askDatabase({ quota, place, limit, waiting }: Share): Promise<void> {
    const askedAt = performance.now();
    const wanted = quota.nextPortion(waiting, askedAt);
    try {
      const lease = await within(
        LEASE_TIMEOUT_MS,
        leaseTokens(this.#db, { ...place, limit, wanted }),
      );
      quota.add(lease, askedAt);
      if (this.#isAway) this.#log.warn("rate limits are shared between nodes again");
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) {
        this.#log.warn(
          { reason: messageOf(error) },
          "rate limits are counted by each node alone until the database answers",
        );
      }
      this.#isAway = true;
      this.#nextAttemptAt = performance.now() + AWAY_MS;
    }
  }
}

/** A lease that arrives too late is not used: its tokens are lost, but never granted twice. */
function within(timeoutMs: number, lease: Promise<Lease>): Promise<Lease> {
  const { promise, resolve, reject } = Promise.withResolvers<Lease>();
  const timer = setTimeout(() => reject(new Error(`No lease within ${timeoutMs} ms.`)), timeoutMs);
  lease.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
