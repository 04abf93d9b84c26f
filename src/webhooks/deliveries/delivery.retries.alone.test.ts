import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchSlowness } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";
import { type Received, until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";

const api = await startApi({ after });
const { open, happen, get, settled } = createStage(api);

const LATE_MS_MAX = 500;

type Attempt = { at: string; trigger: string };

// The tests wait at the same time, so together they take as long as the longest.
describe("retries of one endpoint", { concurrency: true }, () => {
  it("go out within half a second of their own time, each of them, and never before", async (t) => {
    const slowness = watchSlowness();
    const { receiver, hook } = await open(t);
    const tried = new Set<unknown>();
    const again = new Set<Received>();
    receiver.answer((request) => {
      if (tried.has(request.body.id)) again.add(request);
      tried.add(request.body.id);
      return again.has(request) ? 200 : 500;
    });
    // Spread over several seconds, so that the next sweep would be too late for all but the first.
    const planned = new Map<string, number>();
    for (let count = 0; count < 15; count += 1) {
      const [id = ""] = await happen(hook);
      const { nextAttemptAt } = await settled(hook, id, "retrying");
      planned.set(id, Date.parse(nextAttemptAt));
      await sleep(200);
    }
    await receiver.waitFor(30, 30_000);
    assert.equal(again.size, 15);
    const delays = [...again].map(({ at, body }) => {
      const delay = at - (planned.get(String(body.id)) ?? 0);
      return delay;
    });
    t.diagnostic(`late by ${delays.join(", ")} ms`);
    const lateMsMax = LATE_MS_MAX * slowness();
    assert.ok(delays.every((delay) => delay >= 0 && delay <= lateMsMax));
  });

  it("wait as long as Retry-After asks, to half a second, whatever the status", async (t) => {
    const tryStatus = async (status: number) => {
      const slowness = watchSlowness();
      const { receiver, hook } = await open(t);
      receiver.answer({ status, headers: { "retry-after": "7" } });
      const [id = ""] = await happen(hook);
      await receiver.waitFor(1);
      await settled(hook, id, "retrying");
      receiver.answer(200);
      const [first, second] = await receiver.waitFor(2);
      const waitMs = (second?.at ?? 0) - (first?.at ?? 0);
      t.diagnostic(`${status}: ${waitMs} ms`);
      const lateMsMax = LATE_MS_MAX * slowness();
      assert.ok(waitMs >= 7_000 && waitMs <= 7_000 + lateMsMax, `${waitMs} ms`);
    };
    await Promise.all([429, 503].map(tryStatus));
  });

  it("are known to the next worker when the one that planned them is gone", async (t) => {
    const slowness = watchSlowness();
    const { receiver, hook } = await open(t);
    receiver.answer({ status: 503, headers: { "retry-after": "6" } });
    const ids = await happen(hook, 3);
    for (const id of ids) await settled(hook, id, "retrying");
    receiver.answer(200);
    const node = await api.node({ ROLES: "worker" });
    // Both workers know the deliveries now; the first to claim one sends it.
    await until(async () => (await get(`${hook.path}/health`)).body.pending === 0);
    const sent = ids.map((id) => receiver.ids().filter((one) => one === id).length);
    assert.deepEqual(sent, [2, 2, 2]);
    await node.application.stop();
    const { body } = await get(`${hook.path}/deliveries/${ids[0]}`);
    const [first, second] = body.attempts as Attempt[];
    const waitMs = Date.parse(second?.at ?? "") - Date.parse(first?.at ?? "");
    assert.ok(waitMs >= 6_000 && waitMs <= 6_000 + 1_000 * slowness(), `${waitMs} ms`);
  });
});
