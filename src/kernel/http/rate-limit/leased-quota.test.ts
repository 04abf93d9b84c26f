import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { LeasedQuota } from "./leased-quota.ts";

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1_000;

/** What the lease statement does, without a database. */
class Ledger {
  #window = -1;
  #taken = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  lease(wanted: number, now: number) {
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) this.#taken = 0;
    this.#window = window;
    const granted = Math.min(wanted, this.limit - this.#taken);
    this.#taken += granted;
    const endsInMs = (window + 1) * WINDOW_MS - now;
    return { window, granted, left: this.limit - this.#taken, endsInMs };
  }
}

/** Several nodes that share one ledger, with a clock that the test moves. */
class Cluster {
  now = 0;
  readonly ledger: Ledger;
  readonly nodes: LeasedQuota[];
  readonly allowedByWindow = new Map<number, number>();
  leases = 0;

  constructor(limit: number, nodeCount: number) {
    this.ledger = new Ledger(limit);
    const rate = { limit, windowSeconds: WINDOW_SECONDS };
    this.nodes = Array.from({ length: nodeCount }, () => new LeasedQuota(rate));
  }

  request(nodeIndex: number, latencyMs = 0): boolean {
    const node = this.nodes[nodeIndex % this.nodes.length] as LeasedQuota;
    let taking = node.take(this.now);
    while (taking === "lease-needed") {
      this.#lease(node, 1, latencyMs);
      taking = node.take(this.now);
    }
    if (taking === "taken") {
      const window = Math.floor(this.now / WINDOW_MS);
      this.allowedByWindow.set(window, (this.allowedByWindow.get(window) ?? 0) + 1);
    }
    if (node.isRunningLow(this.now)) this.#lease(node, 0, latencyMs);
    return taking === "taken";
  }

  #lease(node: LeasedQuota, waiting: number, latencyMs: number): void {
    this.leases += 1;
    const askedAt = this.now;
    const wanted = node.nextPortion(waiting, askedAt);
    const lease = this.ledger.lease(wanted, askedAt + latencyMs / 2);
    this.now += latencyMs;
    node.add(lease, askedAt);
  }
}

const arbitraryLimit = fc.integer({ min: 0, max: 500 });
const arbitraryNodes = fc.integer({ min: 1, max: 5 });

describe("a leased quota", () => {
  it("never lets the nodes together exceed the limit in any window", () => {
    const step = fc.record({
      node: fc.nat(4),
      count: fc.integer({ min: 1, max: 400 }),
      waitMs: fc.nat(WINDOW_MS / 2),
      latencyMs: fc.nat(50),
    });
    fc.assert(
      fc.property(arbitraryLimit, arbitraryNodes, fc.array(step), (limit, nodeCount, steps) => {
        const cluster = new Cluster(limit, nodeCount);
        for (const { node, count, waitMs, latencyMs } of steps) {
          for (let index = 0; index < count; index += 1) cluster.request(node, latencyMs);
          cluster.now += waitMs;
        }
        for (const allowed of cluster.allowedByWindow.values()) assert.ok(allowed <= limit);
      }),
    );
  });

  it("gives out the whole limit when every node keeps asking, in any order", () => {
    fc.assert(
      fc.property(arbitraryLimit, arbitraryNodes, fc.array(fc.nat(4)), (limit, count, order) => {
        const cluster = new Cluster(limit, count);
        for (const node of order) cluster.request(node);
        for (let node = 0; node < count; node += 1) while (cluster.request(node));
        assert.equal(cluster.allowedByWindow.get(0) ?? 0, limit);
      }),
    );
  });

  it("keeps from the other nodes at most a little of what a node has not spent", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(5_000), (limit, spent) => {
        const cluster = new Cluster(limit, 2);
        for (let index = 0; index < spent; index += 1) cluster.request(0);
        while (cluster.request(1));
        const missing = limit - (cluster.allowedByWindow.get(0) ?? 0);
        assert.ok(missing <= limit / 26, `${missing} of ${limit}`);
        assert.ok(missing <= 2 * spent, `${missing} after ${spent}`);
      }),
    );
  });

  it("keeps nothing from the other nodes after a single request", () => {
    const cluster = new Cluster(1_000, 2);
    cluster.request(0);
    while (cluster.request(1));
    assert.equal(cluster.allowedByWindow.get(0), 1_000);
  });

  it("asks the database seldom: fewer than 100 times for a limit of 6,000", () => {
    const cluster = new Cluster(6_000, 1);
    while (cluster.request(0));
    assert.ok(cluster.leases < 100, `${cluster.leases} leases`);
  });

  it("asks once for all requests that wait", () => {
    const quota = new LeasedQuota({ limit: 1_000, windowSeconds: WINDOW_SECONDS });
    assert.equal(quota.nextPortion(50, 0), 50);
  });

  it("does not spend a portion after the end of its window", () => {
    const quota = new LeasedQuota({ limit: 10, windowSeconds: 1 });
    quota.add({ window: 1, granted: 5, left: 5, endsInMs: 200 }, 1_000);
    assert.equal(quota.take(1_199), "taken");
    assert.equal(quota.take(1_200), "lease-needed");
  });

  it("follows a limit raised in the middle of a window", () => {
    const quota = new LeasedQuota({ limit: 1, windowSeconds: WINDOW_SECONDS });
    quota.add({ window: 1, granted: 1, left: 0, endsInMs: WINDOW_MS }, 0);
    assert.equal(quota.take(1), "taken");
    assert.equal(quota.take(1), "refused");
    quota.setLimit(3);
    assert.equal(quota.take(1), "lease-needed");
  });

  it("alone, keeps to the limit per window and never stops asking for company", () => {
    const quota = new LeasedQuota({ limit: 2, windowSeconds: 1 });
    const takings = [0, 1, 2, 1_000].map((now) => quota.takeAlone(now));
    assert.deepEqual(takings, ["taken", "taken", "refused", "taken"]);
    assert.equal(quota.take(1_001), "lease-needed");
  });

  it("tells a reset of at least a second and nothing remaining once refused", () => {
    const quota = new LeasedQuota({ limit: 5, windowSeconds: 10 });
    quota.add({ window: 1, granted: 2, left: 3, endsInMs: 10 }, 0);
    const taken = quota.describe(quota.take(5), 5);
    assert.deepEqual(taken, {
      allowed: true,
      limit: 5,
      windowSeconds: 10,
      remaining: 4,
      resetSeconds: 1,
    });
    assert.equal(quota.describe("refused", 500).remaining, 0);
    assert.equal(quota.describe("refused", 500).resetSeconds, 1);
  });
});
