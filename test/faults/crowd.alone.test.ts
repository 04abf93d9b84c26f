import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import {
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";
import { watchSlowness } from "#test/support/slowness.ts";
import { type Waits, watchBystander } from "./bystander.ts";

const CLIENTS = 200;
const PASSES = 100;
const CROWD_MS = 4_000;
/**
 * Shorter idle times are not used for the limit: callers, database and product share two
 * processors, and their scheduling alone takes this long.
 */
const IDLE_MS_MIN = 10;
/** Other work of the machine can only make waits longer, so the best of these tries counts. */
const TRIES_MAX = 3;
/** Without this, rate limits would keep requests away from the database. */
const NO_LIMITS =
  "name: Busy\nrateLimits:\n  default: { limit: 1000000, windowSeconds: 60 }\n  pass.create: { limit: 1000000, windowSeconds: 60 }\n";

const key = PRODUCT_OPERATOR_KEY;

describe("a tenant beside one that sends a crowd of requests", () => {
  let dataDir: string;
  let product: Product;
  let calmUrl: string;
  let idle: Waits;

  const create = (tenantId: string) =>
    product.post(`/api/${tenantId}/passes?passType=loyalty`, {
      key,
      headers: { "idempotency-key": randomUUID() },
      body: {
        identifiers: { "loyalty.number": randomUUID() },
        additionalData: { firstName: "Camille" },
      },
    });

  before(async () => {
    dataDir = await makeDataDir();
    product = await startProduct({ env: { DATA_DIR: dataDir, DATABASE_POOL_SIZE: "10" } });
    const api = { put: product.put, operatorKey: key };
    await seedPassTenant(api, "busy", { "tenant.yml": NO_LIMITS });
    await seedPassTenant(api, "calm", { "tenant.yml": NO_LIMITS });
    calmUrl = `${product.url}/api/calm/passes/${(await create("calm")).body.id}`;
    await watchBystander({ url: calmUrl, key, forMs: 500 });
    idle = await inQuietTime(() => watchBystander({ url: calmUrl, key, forMs: 2_000 }));
  });
  after(async () => {
    await product.kill("SIGTERM");
    await removeDataDir(dataDir);
  });

  /** What the waits would have been on a quiet machine. */
  async function inQuietTime(watch: () => Promise<Waits>): Promise<Waits> {
    const slowness = watchSlowness();
    const { p99Ms, statuses } = await watch();
    return { p99Ms: p99Ms / slowness(), statuses };
  }

  /** Compares the waits of another tenant's caller (99th percentile) with its waits when idle. */
  async function assertUnimpressed(
    t: TestContext,
    timesMax: number,
    watchBesideCrowd: () => Promise<Waits>,
  ): Promise<void> {
    const boundMs = Math.max(idle.p99Ms, IDLE_MS_MIN) * timesMax;
    for (let tried = 1; ; tried += 1) {
      const { p99Ms, statuses } = await inQuietTime(watchBesideCrowd);
      t.diagnostic(`p99 ${p99Ms.toFixed(1)} ms, idle ${idle.p99Ms.toFixed(1)} ms`);
      assert.deepEqual(statuses, [200]);
      if (p99Ms < boundMs) return;
      assert.ok(tried < TRIES_MAX, `p99 ${p99Ms.toFixed(1)} ms is not below ${boundMs} ms`);
    }
  }

  it("201: 200 clients with Idempotency-Keys on 10 connections: none is turned away", async (t) => {
    await assertUnimpressed(t, 4, async () => {
      const statuses = new Set<number>();
      const until = performance.now() + CROWD_MS;
      const crowd = Array.from({ length: CLIENTS }, async () => {
        while (performance.now() < until) statuses.add((await create("busy")).status);
      });
      await sleep(300);
      const waits = await watchBystander({ url: calmUrl, key, forMs: CROWD_MS - 600 });
      await Promise.all(crowd);
      assert.deepEqual([...statuses], [201]);
      return waits;
    });
  });

  it("200, 503: 200 updates of 100 passes with BypassQueue, each done or told to come back", async (t) => {
    const made = await Promise.all(Array.from({ length: PASSES }, () => create("busy")));
    const passIds = made.map(({ body }) => body.id);
    const update = () =>
      product.patch("/api/busy/passes", {
        key,
        body: {
          passIds,
          additionalData: { firstName: `Camille ${randomUUID()}` },
          options: { BypassQueue: true },
        },
      });
    await assertUnimpressed(t, 5, async () => {
      const watching = watchBystander({ url: calmUrl, key, forMs: 3_000 });
      for (const answer of await Promise.all(Array.from({ length: CLIENTS }, update))) {
        assert.ok([200, 503].includes(answer.status), answer.text);
        if (answer.status === 503) assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
      }
      return await watching;
    });
  });
});
