import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seedWebhook } from "../support/factories.ts";
import { watchSlowness } from "../support/slowness.ts";
import { shareApi, type TestApi } from "../support/start-api.ts";
import { type Receiver, startReceiver, until } from "../support/webhook-receiver.ts";

/** From the answer to a change until its delivery arrives, for healthy tenants. */
const P95_MS_MAX = 1_000;
const WATCHED_MS = 8_000;
const EVERY_MS = 100;
/** Tenants with an endpoint that was never called before. */
const NEWCOMERS = 15;
const QUEUED_PER_ENDPOINT = 20;

/** Makes tenants with waiting deliveries, whose endpoints accept requests and never answer. */
async function makeHanging(api: TestApi, receiver: Receiver, tenants: number, endpoints: number) {
  for (let at = 0; at < tenants; at += 1) {
    const tenantId = `hung-${at}`;
    await api.seed.tenant(tenantId);
    for (let count = 0; count < endpoints; count += 1) {
      await seedWebhook(api, tenantId, { endpoint: `${receiver.url}/${tenantId}-${count}` });
    }
  }
  await api.sql(
    `with happened as (
       insert into event (tenant_id, id, name, occurred_at, data)
       select tenant_id, 'evt_' || tenant_id || '_' || n, 'api-key.created', now(), '{}'
         from (select distinct tenant_id from webhook where tenant_id like 'hung-%') as hung, generate_series(1, $1::int) as n
       returning tenant_id, id)
     insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
     select webhook.tenant_id, webhook.id, happened.id, 'api-key.created', 'pending', now(), now()
       from webhook join happened using (tenant_id)`,
    [QUEUED_PER_ENDPOINT],
  );
}

type Wait = { readonly who: string; readonly ms: number };

/** Causes events at regular intervals, some of them for newcomers, and measures the waits. */
async function watchHealthy(api: TestApi, quick: Receiver): Promise<Wait[]> {
  const askedAt = new Map<string, number>();
  const slowness = watchSlowness();
  const newcomerEvery = Math.ceil(WATCHED_MS / EVERY_MS / NEWCOMERS);
  for (let count = 0; count < WATCHED_MS / EVERY_MS; count += 1) {
    const isNewcomer = count % newcomerEvery === newcomerEvery - 1;
    const tenantId = isNewcomer ? `newcomer-${Math.floor(count / newcomerEvery)}` : "steady";
    await api.seed.key(tenantId, "Pass.Read");
    askedAt.set(`${tenantId} seed ${askedAt.size}`, Date.now());
    await sleep(EVERY_MS);
  }
  await until(
    () => quick.received.length >= askedAt.size,
    () => `${quick.received.length} of ${askedAt.size}`,
    40_000,
  );
  const factor = slowness();
  // Matches the changes and arrivals of a tenant in order. If arrivals are in another order, the
  // sum of the waits is the same.
  const arrivals = Map.groupBy(quick.received, ({ body }) => String(body.tenantId));
  return [...askedAt].map(([name, at]) => {
    const who = name.split(" ")[0] ?? "";
    const arrivedAt = arrivals.get(who)?.shift()?.at ?? Number.POSITIVE_INFINITY;
    return { who, ms: Math.round((arrivedAt - at) / factor) };
  });
}

function p95Of(waits: readonly Wait[]): number {
  const sorted = waits.map(({ ms }) => ms).sort((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.POSITIVE_INFINITY;
}

// Concurrent, because each mostly waits, and has its own product and database.
describe("endpoints that hang", { concurrency: true }, () => {
  for (const [tenants, endpoints] of [
    [10, 50],
    [4, 60],
    [110, 1],
  ] as const) {
    describe(`${tenants} tenants with ${endpoints} endpoints each that hang`, () => {
      const shared = shareApi();

      it("delay neither a healthy tenant nor endpoints that are called for the first time", async (t: TestContext) => {
        const api = shared();
        const [hanging, quick] = [await startReceiver(t), await startReceiver(t)];
        hanging.answer("hang");
        const healthy = Array.from({ length: NEWCOMERS }, (_none, at) => `newcomer-${at}`);
        for (const tenantId of ["steady", ...healthy]) {
          await api.seed.tenant(tenantId);
          await seedWebhook(api, tenantId, { endpoint: quick.url });
        }
        await makeHanging(api, hanging, tenants, endpoints);
        const waits = await watchHealthy(api, quick);
        const newcomers = waits.filter(({ who }) => who !== "steady");
        const [all, fresh] = [p95Of(waits), p95Of(newcomers)];
        const worst = Math.max(...waits.map(({ ms }) => ms));
        t.diagnostic(
          `p95 ${all} ms, newcomers ${fresh} ms, worst ${worst} ms; ${hanging.received.length} hang`,
        );
        assert.ok(hanging.received.length >= Math.min(100, tenants * endpoints), "they do hang");
        assert.ok(all < P95_MS_MAX, `p95 ${all} ms`);
        assert.ok(fresh < P95_MS_MAX, `p95 of newcomers ${fresh} ms`);
      });
    });
  }
});
