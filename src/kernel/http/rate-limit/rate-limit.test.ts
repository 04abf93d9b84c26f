import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { systemCall } from "#kernel/call.ts";
import { systemClock } from "#kernel/clock.ts";
import { Database } from "#kernel/db/database.ts";
import { sql } from "#kernel/db/sql.ts";
import { createLog } from "#kernel/log.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createBreakableLink } from "#test/support/breakable-link.ts";
import { createDatabase } from "#test/support/server.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { purgeRateLimits } from "./rate-limit.jobs.ts";
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimitOverrides,
  rateLimitFor,
} from "./rate-limit.ts";

const TENANT = "acme";
const DAY_SECONDS = 86_400;

/** One database, and nodes that each have a pool of their own. */
async function startNodes(t: TestContext, count: number, overrides?: RateLimitOverrides) {
  const database = await createDatabase();
  const nodes = Array.from({ length: count }, () => startNode(database.connection, overrides));
  t.after(async () => {
    await Promise.all(nodes.map(({ db }) => db.close()));
    await database.drop();
  });
  return { database, nodes, limiters: nodes.map((node) => node.limiter) };
}

function startNode(connection: ClientConfig, overrides?: RateLimitOverrides) {
  const logLines: string[] = [];
  const log = createLog({
    level: "info",
    destination: { write: (line) => void logLines.push(line) },
  });
  const db = new Database({
    connection,
    poolSize: 3,
    clock: systemClock,
    log,
    role: "billfold_app",
  });
  const limiter = createRateLimiter({ db, log, overrides: () => overrides });
  return { db, limiter, log, logLines };
}

function routeWith(limit: number, windowSeconds = DAY_SECONDS) {
  return { op: "thing.read", method: "GET", rateLimit: { limit, windowSeconds } } as const;
}

async function countAllowed(
  limiter: RateLimiter,
  requests: number,
  route: Parameters<RateLimiter["takeToken"]>[2],
  credentialId = "key",
): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: requests }, () => limiter.takeToken(TENANT, credentialId, route)),
  );
  return decisions.filter((decision) => decision.allowed).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

describe("rate limits", () => {
  it("allow exactly the limit on one node, whether requests come at once or one by one", async (t) => {
    const { limiters } = await startNodes(t, 1);
    const [limiter] = limiters as [RateLimiter];
    assert.equal(await countAllowed(limiter, 300, routeWith(100), "at-once"), 100);

    let allowed = 0;
    for (let count = 0; count < 300; count += 1) {
      const decision = await limiter.takeToken(TENANT, "one-by-one", routeWith(100));
      allowed += decision.allowed ? 1 : 0;
    }
    assert.equal(allowed, 100);
  });

  for (const nodeCount of [2, 3]) {
    it(`allow exactly the limit on ${nodeCount} nodes that race`, async (t) => {
      const { limiters } = await startNodes(t, nodeCount);
      for (const limit of [1, 2, 7, 100, 1_000]) {
        const allowed = await Promise.all(
          limiters.map((limiter) =>
            countAllowed(limiter, limit + 50, routeWith(limit), `${limit}`),
          ),
        );
        assert.equal(sum(allowed), limit, `limit ${limit}: ${allowed}`);
      }
    });

    it(`allow exactly the limit on ${nodeCount} nodes with interleaved streams`, async (t) => {
      const { limiters } = await startNodes(t, nodeCount);
      const stream = async (limiter: RateLimiter) => {
        let allowed = 0;
        for (let count = 0; count < 200; count += 1) {
          allowed += await countAllowed(limiter, 1 + (count % 5), routeWith(500));
        }
        return allowed;
      };
      assert.equal(sum(await Promise.all(limiters.map(stream))), 500);
    });
  }

  it("leave nothing unused on a node that saw a single request", async (t) => {
    const { limiters } = await startNodes(t, 2);
    const [first, second] = limiters as [RateLimiter, RateLimiter];
    assert.equal(await countAllowed(first, 1, routeWith(1_000)), 1);
    assert.equal(await countAllowed(second, 1_500, routeWith(1_000)), 999);
  });

  it("start anew with each window, never above the limit within one", async (t) => {
    const { limiters } = await startNodes(t, 2);
    const route = routeWith(20, 1);
    const until = performance.now() + 3_200;
    const allowedAt: number[] = [];
    const stream = async (limiter: RateLimiter) => {
      while (performance.now() < until) {
        const decision = await limiter.takeToken(TENANT, "key", route);
        if (decision.allowed) allowedAt.push(performance.now());
        assert.equal(decision.resetSeconds, 1);
        await sleep(3);
      }
    };
    await Promise.all(limiters.map(stream));

    // At least three whole windows fit into the time, and at most five windows overlap it.
    assert.ok(allowedAt.length >= 3 * 20, `${allowedAt.length} allowed`);
    assert.ok(allowedAt.length <= 5 * 20, `${allowedAt.length} allowed`);
  });

  it("count each tenant, credential and operation apart", async (t) => {
    const { limiters } = await startNodes(t, 1);
    const [limiter] = limiters as [RateLimiter];
    const route = routeWith(1);
    const other = { ...route, op: "thing.write" };
    assert.equal((await limiter.takeToken("acme", "a", route)).allowed, true);
    assert.equal((await limiter.takeToken("acme", "a", route)).allowed, false);
    assert.equal((await limiter.takeToken("acme", "b", route)).allowed, true);
    assert.equal((await limiter.takeToken("rival", "a", route)).allowed, true);
    assert.equal((await limiter.takeToken("acme", "a", other)).allowed, true);
    assert.equal((await limiter.takeToken("*", "a", route)).allowed, true);
  });

  it("tell limit, window, what remains and when it starts anew", async (t) => {
    const { limiters } = await startNodes(t, 1);
    const [limiter] = limiters as [RateLimiter];
    const decision = await limiter.takeToken(TENANT, "key", routeWith(3, 60));
    assert.equal(decision.limit, 3);
    assert.equal(decision.windowSeconds, 60);
    assert.equal(decision.remaining, 2);
    assert.ok(decision.resetSeconds >= 1 && decision.resetSeconds <= 60);
  });

  it("follow a tenant's override at once, up and down", async (t) => {
    const overrides: Record<string, { limit: number; windowSeconds: number }> = {};
    const { limiters } = await startNodes(t, 1, overrides);
    const [limiter] = limiters as [RateLimiter];
    assert.equal(await countAllowed(limiter, 10, routeWith(4)), 4);
    overrides["thing.read"] = { limit: 6, windowSeconds: DAY_SECONDS };
    assert.equal(await countAllowed(limiter, 10, routeWith(4)), 2);
    overrides["thing.read"] = { limit: 5, windowSeconds: DAY_SECONDS };
    assert.equal(await countAllowed(limiter, 10, routeWith(4)), 0);
  });

  it("prefer the tenant's word for the operation, then the route's, then the tenant's default", () => {
    const rate = (limit: number) => ({ limit, windowSeconds: 10 });
    const plain = { op: "thing.read", method: "GET" } as const;
    const guarded = { ...plain, rateLimit: rate(2) };
    const overrides = { "thing.read": rate(1), default: rate(3) };
    assert.equal(rateLimitFor(guarded, overrides).limit, 1);
    assert.equal(rateLimitFor(guarded, { default: rate(3) }).limit, 2);
    assert.equal(rateLimitFor(plain, { default: rate(3) }).limit, 3);
    assert.equal(rateLimitFor(plain, undefined).limit, 12_000);
    assert.equal(rateLimitFor({ ...plain, method: "POST" }, {}).limit, 6_000);
    assert.equal(rateLimitFor({ ...plain, op: "constructor" }, {}).limit, 12_000);
  });

  it("refuse without asking the database again once a window is used up", async (t) => {
    const { nodes } = await startNodes(t, 1);
    const [{ db, limiter }] = nodes as [(typeof nodes)[0]];
    await countAllowed(limiter, 20, routeWith(5));
    const before = await db.readAsSystem(sql<{ xmin: string }>`select xmin::text from rate_limit`);
    assert.equal(await countAllowed(limiter, 1_000, routeWith(5)), 0);
    const after = await db.readAsSystem(sql<{ xmin: string }>`select xmin::text from rate_limit`);
    assert.deepEqual(after, before);
  });
});

describe("rate limits while the database is away", () => {
  for (const trouble of ["cut", "silence"] as const) {
    it(`are counted by the node alone and shared again afterwards (${trouble})`, async (t) => {
      const database = await createDatabase();
      const link = await createBreakableLink(database.connection);
      const node = startNode(link.connection);
      t.after(async () => {
        await link.cut();
        await node.db.close();
        await database.drop();
      });
      await countAllowed(node.limiter, 1, routeWith(100), "warm");

      await link[trouble]();
      const lonelyMs = startStopwatch();
      assert.equal(await countAllowed(node.limiter, 150, routeWith(100), "lonely"), 100);
      assert.ok(lonelyMs() < 2_000, "nobody waits for long");
      const againMs = startStopwatch();
      assert.equal(await countAllowed(node.limiter, 10, routeWith(100), "other"), 10);
      assert.ok(againMs() < 1_000, "and the next ones not at all");
      assert.equal(node.logLines.filter((line) => line.includes("each node alone")).length, 1);

      await link.restore();
      const isSharedAgain = () => node.logLines.some((line) => line.includes("shared between"));
      for (let count = 0; count < 200 && !isSharedAgain(); count += 1) {
        await countAllowed(node.limiter, 1, routeWith(100), "back");
        await sleep(50);
      }
      assert.ok(isSharedAgain());
      assert.equal(await countAllowed(node.limiter, 10, routeWith(4), "new"), 4);
    });
  }
});

describe("the job rate-limit.purge", () => {
  it("removes windows that are over and keeps the running ones", async (t) => {
    const { nodes } = await startNodes(t, 1);
    const [{ db, limiter, log }] = nodes as [(typeof nodes)[0]];
    await countAllowed(limiter, 1, routeWith(5), "running");
    await countAllowed(limiter, 1, routeWith(5), "over");
    await db.readAsSystem(
      sql`update rate_limit set ends_at = now() - interval '1 hour' where credential_id = 'over'`,
    );
    // More than one batch.
    await db.readAsSystem(
      sql`insert into rate_limit
          select tenant_id, 'over-' || n, op, window_seconds, ends_at, taken, granted
            from rate_limit, generate_series(1, 6000) as n
           where credential_id = 'over'`,
    );
    const call = systemCall({ db, log, clock: systemClock } as Runtime, "rate-limit.purge");
    await purgeRateLimits.run(call, {}, AbortSignal.timeout(60_000));
    const rows = await db.readAsSystem(sql`select credential_id from rate_limit`);
    assert.deepEqual(rows, [{ credential_id: "running" }]);
  });
});
