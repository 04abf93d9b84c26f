import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hook, oweDeliveries, seedWebhook } from "#test/support/factories.ts";
import { startStopwatch, watchSlowness } from "#test/support/slowness.ts";
import { shareApi } from "#test/support/start-api.ts";
import { startReceiver, until } from "#test/support/webhook-receiver.ts";

const shared = shareApi();

async function subscribe(tenantId: string, endpoint: string): Promise<Hook> {
  await shared().seed.tenant(tenantId);
  return await seedWebhook(shared(), tenantId, { endpoint });
}

const queue = (hook: Hook, count: number) => oweDeliveries(shared(), hook, { count });

describe("what an endpoint does to others", () => {
  it("one that hangs with 5,000 in its queue delays another tenant by less than a second", async (t) => {
    const hanging = await startReceiver(t);
    hanging.answer("hang");
    const quick = await startReceiver(t);
    await queue(await subscribe("slow", hanging.url), 5_000);
    await subscribe("quick", quick.url);
    await hanging.waitFor(10);

    const delays: number[] = [];
    for (let count = 1; count <= 60; count += 1) {
      await shared().seed.key("quick", "Pass.Read");
      const elapsedMs = startStopwatch();
      await quick.waitFor(count);
      delays.push(Math.round(elapsedMs()));
    }
    const p95 = delays.sort((left, right) => left - right)[Math.floor(delays.length * 0.95)];
    t.diagnostic(`p95 ${p95} ms while ${hanging.received.length} requests hang`);
    assert.ok(p95 !== undefined && p95 < 1_000, `p95 ${p95} ms`);
    assert.ok(hanging.received.length <= 32, "the endpoint gets no more at once than it may");
  });
});

describe("endpoints that hang", () => {
  /** Starts one receiver that never answers, for several webhooks of several tenants. */
  async function hang(t: TestContext, tenants: readonly string[], webhooks: number) {
    const hanging = await startReceiver(t);
    hanging.answer("hang");
    for (const tenantId of tenants) {
      for (let count = 0; count < webhooks; count += 1) {
        await queue(await subscribe(tenantId, hanging.url), 50);
      }
    }
    await until(
      () => hanging.received.length >= tenants.length * webhooks,
      () => `${hanging.received.length} hang`,
    );
    return hanging;
  }

  it("twenty of four tenants stop neither others at their host nor other webhooks of theirs", async (t) => {
    const hanging = await hang(t, ["hung-1", "hung-2", "hung-3", "hung-4"], 5);
    const quick = await startReceiver(t);
    for (const tenantId of ["bystander", "hung-1"]) await subscribe(tenantId, quick.url);
    // The same host and port, but this path is answered.
    hanging.answer(({ path }) => (path === "/other" ? 200 : "hang"));
    await subscribe("neighbour", hanging.url.replace("/hook", "/other"));

    const startedAt = Date.now();
    for (let count = 1; count <= 10; count += 1) {
      for (const tenantId of ["bystander", "hung-1", "neighbour"]) {
        await shared().seed.key(tenantId, "Pass.Read");
      }
    }
    await quick.waitFor(20, 15_000);
    const others = () => hanging.received.filter(({ path }) => path === "/other").length;
    await until(
      () => others() === 10,
      () => `${others()} of 10`,
      15_000,
    );
    t.diagnostic(
      `all after ${Date.now() - startedAt} ms beside ${hanging.received.length} requests`,
    );
  });

  it("a webhook deleted while it waits for a connection is never called", async (t) => {
    const hanging = await hang(t, ["crowded"], 5);
    const { path: late } = await subscribe("crowded", hanging.url.replace("/hook", "/late"));
    await shared().seed.key("crowded", "Pass.Read");
    await shared().delete(late, { key: shared().operatorKey });
    const answeredAt = Date.now();
    const slowness = watchSlowness();
    await sleep(3_000);
    const lateFrom = answeredAt + 1_000 * slowness();
    const called = hanging.received.filter(({ at, path }) => path === "/late" && at > lateFrom);
    assert.deepEqual(called, []);
  });
});

// Concurrent, because each mostly waits, and has its own tenant.
describe("a webhook with 500 deliveries in its queue", { concurrency: true }, () => {
  for (const [how, end] of [
    ["deleted", (path: string, key: string) => shared().delete(path, { key })],
    [
      "disabled",
      (path: string, key: string) => shared().patch(path, { key, body: { enabled: false } }),
    ],
  ] as const) {
    it(`gets no request later than a second after it was ${how}`, async (t) => {
      const receiver = await startReceiver(t);
      receiver.answer(async () => {
        await sleep(100);
        return 200;
      });
      const hook = await subscribe(how, receiver.url);
      await queue(hook, 500);
      await receiver.waitFor(20);
      const { status } = await end(hook.path, shared().operatorKey);
      const answeredAt = Date.now();
      const slowness = watchSlowness();
      assert.equal(status, 200);
      await sleep(3_000);
      const lateFrom = answeredAt + 1_000 * slowness();
      const late = receiver.received.filter(({ at }) => at > lateFrom);
      assert.equal(late.length, 0);
      assert.ok(receiver.received.length < 500, "some were left to send");
    });
  }

  it("gets the rest when it is enabled again, each once", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await subscribe("resumed", receiver.url);
    const { path } = hook;
    const key = shared().operatorKey;
    await queue(hook, 500);
    await receiver.waitFor(1);
    await shared().patch(path, { key, body: { enabled: false } });
    await shared().patch(path, { key, body: { enabled: true } });
    await until(
      () => new Set(receiver.ids()).size === 500,
      () => `${new Set(receiver.ids()).size} of 500`,
      60_000,
    );
    assert.equal(receiver.received.length, 500);
  });
});
