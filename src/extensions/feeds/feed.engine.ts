import { systemCall } from "#kernel/call.ts";
import { steadyClock } from "#kernel/clock.ts";
import type { TenantContext } from "#kernel/context.ts";
import { EVENT_HINT } from "#kernel/events/outbox.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import { findConnector } from "../connectors.ts";
import {
  claimFeeds,
  type Feed,
  listFedTenants,
  releaseFeed,
  renewFeeds,
} from "./feed.repository.ts";
import { takeTurn } from "./feed.service.ts";

const OP = "extension.feed";
/** A turn mostly waits for the vendor. */
const TENANTS_AT_ONCE = 8;
const LEASE_SECONDS = 60;
const SWEEP_MS = 2_000;
/** A turn that is cut short is repeated, and the vendor gets the same commands again. */
const FINISH_MS = 5_000;
/** Events that are held back are settled when the transactions around them have ended. */
const HELD_BACK_MS = 250;

type Claimed = { readonly context: TenantContext; readonly feeds: readonly Feed[] };

/** Tells vendors what happened, in every worker process. Its whole state is in the database. */
export class FeedEngine {
  readonly #runtime: Runtime;
  readonly #loop: WorkLoop<Claimed>;
  /** Every event gives a hint, and most tenants have no feed: the database is not asked for those. */
  #fed: ReadonlySet<string> = new Set();
  readonly #heldBack = new Map<string, number>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#loop = new WorkLoop(
      {
        name: OP,
        groupsAtOnceMax: TENANTS_AT_ONCE,
        leaseSeconds: LEASE_SECONDS,
        finishMs: FINISH_MS,
        hint: EVENT_HINT,
        noteHint: (tenantId) => tenantId,
        sweepMs: SWEEP_MS,
        sweep: () => this.#sweep(),
        claim: (tenantId, lease) => this.#claim(tenantId, lease),
        work: (claimed, lease) => this.#work(claimed, lease),
        renew: (leases) => this.#renew(leases),
        nextDueAt: (tenantId) => this.#heldBack.get(tenantId) ?? Number.POSITIVE_INFINITY,
      },
      runtime,
    );
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #sweep(): Promise<string[]> {
    const tenants = await listFedTenants(systemCall(this.#runtime, OP));
    this.#fed = new Set(tenants.map(({ tenantId }) => tenantId));
    return tenants.filter(({ isDue }) => isDue).map(({ tenantId }) => tenantId);
  }

  async #claim(tenantId: string, lease: Lease): Promise<Claimed | undefined> {
    this.#heldBack.delete(tenantId);
    if (!this.#fed.has(tenantId)) return undefined;
    const context = systemCall(this.#runtime, OP, { tenantId });
    const feeds = await context.transaction((tx) => {
      lease.begin();
      return claimFeeds(tx, lease.token, LEASE_SECONDS);
    });
    return feeds.length === 0 ? undefined : { context, feeds };
  }

  /** Vendors do not wait for each other; what failed is told when all of them have had their turn. */
  async #work({ context, feeds }: Claimed, lease: Lease): Promise<boolean> {
    const ends = await Promise.allSettled(
      feeds.map((feed) => this.#takeTurn(context, feed, lease)),
    );
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return ends.some((end) => end.status === "fulfilled" && end.value);
  }

  async #takeTurn(context: TenantContext, feed: Feed, lease: Lease): Promise<boolean> {
    const connector = findConnector(feed.connector);
    if (connector === undefined) return false;
    try {
      const { hasMore, isHeldBack } = await takeTurn(context, connector, feed, lease);
      if (isHeldBack) this.#heldBack.set(context.tenantId, steadyClock.now() + HELD_BACK_MS);
      return hasMore;
    } catch (error) {
      if (lease.end === "lost") return false;
      await context.transaction((tx) => releaseFeed(tx, feed.connector, lease.token));
      if (lease.end === "stopped") return false;
      throw error;
    }
  }

  async #renew(leases: ReadonlySet<Lease>): Promise<void> {
    const tokens = [...leases].map(({ token }) => token);
    await systemCall(this.#runtime, OP).transaction((tx) => renewFeeds(tx, tokens, LEASE_SECONDS));
  }
}
