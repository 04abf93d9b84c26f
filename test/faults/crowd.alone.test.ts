import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import {
  makeDataDir,
  PRODUCT_OPERATOR_KEY,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";
import { type Waits, watchBystander } from "./bystander.ts";

const CLIENTS = 200;
const PASSES = 100;
const CROWD_MS = 4_000;
/** Below, turns of the processor decide: callers, database and product share two of them. */
const IDLE_MS_MIN = 30;
/** Whatever a limit of requests would keep away from the database. */
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
    idle = await watchBystander({ url: calmUrl, key, forMs: 2_000 });
  });
  after(async () => {
    await product.kill("SIGTERM");
    await removeDataDir(dataDir);
  });

  function assertUnimpressed({ p99Ms, statuses }: Waits, timesMax: number): void {
    assert.deepEqual(statuses, [200]);
    const boundMs = Math.max(idle.p99Ms, IDLE_MS_MIN) * timesMax;
    assert.ok(p99Ms < boundMs, `p99 ${Math.round(p99Ms)} ms, idle ${Math.round(idle.p99Ms)} ms`);
  }

  it("201: 200 clients with Idempotency-Keys on 10 connections: none is turned away", async () => {
    const statuses = new Set<number>();
    const until = performance.now() + CROWD_MS;
    const crowd = Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < until) statuses.add((await create("busy")).status);
    });
    await sleep(300);
    const waits = await watchBystander({ url: calmUrl, key, forMs: CROWD_MS - 600 });
    await Promise.all(crowd);

    assert.deepEqual([...statuses], [201]);
    assertUnimpressed(waits, 4);
  });

  it("200, 503: 200 updates of 100 passes with BypassQueue, each done or told to come back", async () => {
    const made = await Promise.all(Array.from({ length: PASSES }, () => create("busy")));
    const passIds = made.map(({ body }) => body.id);
    const watching = watchBystander({ url: calmUrl, key, forMs: 3_000 });
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, at) =>
        product.patch("/api/busy/passes", {
          key,
          body: {
            passIds,
            additionalData: { firstName: `Camille ${at}` },
            options: { BypassQueue: true },
          },
        }),
      ),
    );

    for (const { status, headers, text } of answers) {
      assert.ok([200, 503].includes(status), text);
      if (status === 503) assert.match(headers.get("retry-after") ?? "", /^\d+$/);
    }
    assertUnimpressed(await watching, 5);
  });
});
