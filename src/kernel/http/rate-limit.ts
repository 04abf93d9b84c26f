import type { Database } from "../db/database.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { RecentMap } from "../recent-map.ts";
import { type Lease, LeasedQuota } from "./leased-quota.ts";
import type { RateDecision, RateLimitedRoute } from "./ports.ts";
import { type LeaseRequest, leaseTokens } from "./rate-limit.repository.ts";
import type { Method, RateLimit } from "./route.ts";

/**
 * Per tenant, credential and operation. A till scans a few times a minute, and a chain may put all
 * its tills behind one key: 100 writes a second are some thousand busy tills. A loader that sends
 * pass by pass moves 6,000 a minute and finds bulk operations beyond that. Reads cost less than half.
 */
const READ_LIMIT: RateLimit = { limit: 12_000, windowSeconds: 60 };
const WRITE_LIMIT: RateLimit = { limit: 6_000, windowSeconds: 60 };

const QUOTAS_MAX = 50_000;
/** How long a request waits for a lease before the limiter counts as away. */
const LEASE_TIMEOUT_MS = 1_000;
const AWAY_MS = 1_000;
/** A request is served by its second lease at the latest; more only where windows end on the way. */
const LEASES_AWAITED_MAX = 5;

export type RateLimitOverrides = Readonly<Record<string, RateLimit>>;

type Overrides = RateLimitOverrides | undefined;

export type RateLimiterOptions = {
  readonly db: Pick<Database, "read">;
  readonly log: Log;
  /** What the tenant configured, by operation or as `default`. On the path of every request. */
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
 * A tenant's `default` replaces ours, but not a limit that a route sets for itself: that one guards
 * something, and is changed by naming the operation.
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
 * Limits that all nodes share without a message to the database per request: see
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
    // Unambiguous: of the four only the credential may contain a space.
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
    // Not awaited: this request must not wait for a database that is probably still away.
    if (this.#mayAsk(now)) void this.#lease(share);
    return share.quota.describe(share.quota.takeAlone(now), now);
  }

  /** Always, but once in a while only as long as the database is away. */
  #mayAsk(now: number): boolean {
    if (!this.#isAway) return true;
    if (now < this.#nextAttemptAt) return false;
    this.#nextAttemptAt = now + AWAY_MS;
    return true;
  }

  /** One at a time for each share; never fails. */
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

/** A lease that comes too late is left unspent: its tokens are lost, never given twice. */
function within(timeoutMs: number, lease: Promise<Lease>): Promise<Lease> {
  const { promise, resolve, reject } = Promise.withResolvers<Lease>();
  const timer = setTimeout(() => reject(new Error(`No lease within ${timeoutMs} ms.`)), timeoutMs);
  lease.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
