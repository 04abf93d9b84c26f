import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { watchSlowness } from "#test/support/slowness.ts";
import { startApi } from "#test/support/start-api.ts";
import { isSignedBy, until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";

const api = await startApi({ after });
const { open, happen, get, post, settled, enable, subscribe } = createStage(api);
await api.seed.tenant("rival");

describe("GET …/deliveries (delivery.list)", () => {
  it("200: the newest event first, page by page and by filter", async (t) => {
    const { receiver, hook } = await open(t);
    const happened = await happen(hook, 3);
    await receiver.waitFor(3);
    for (const id of happened) await settled(hook, id, "delivered");
    const all = await get(`${hook.path}/deliveries`);
    assert.equal(all.status, 200, all.text);
    assert.equal(all.headers.get("x-pagination-total"), "3");
    const ids: string[] = all.body.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, happened.reverse());
    assert.deepEqual(Object.keys(all.body[0]).sort(), [
      "attemptCount",
      "createdAt",
      "event",
      "finishedAt",
      "id",
      "lastStatus",
      "nextAttemptAt",
      "sampleOf",
      "state",
    ]);
    const first = await get(`${hook.path}/deliveries?pageSize=2`);
    const [, next = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await get(next.replace(/^https?:\/\/[^/]+/, ""));
    assert.deepEqual(
      [...first.body, ...second.body].map(({ id }) => id),
      ids,
    );
    const filter = (field: string, value: string) =>
      `${hook.path}/deliveries?filter[0].field=${field}&filter[0].operator=equals&filter[0].value=${value}`;
    assert.equal((await get(filter("state", "delivered"))).body.length, 3);
    assert.equal((await get(filter("state", "failed"))).body.length, 0);
    assert.equal((await get(filter("event", "api-key.created"))).body.length, 3);
  });

  it("200: those that failed and will be tried again are retrying, not pending", async (t) => {
    const { receiver, hook } = await open(t);
    receiver.answer(({ body }) => (JSON.stringify(body).includes("Pass.Write") ? 500 : 200));
    const [good = ""] = await happen(hook);
    await api.seed.key(hook.tenantId, "Pass.Write");
    await receiver.waitFor(2);
    await settled(hook, good, "delivered");
    const byState = async (state: string) => {
      const filter = `filter[0].field=state&filter[0].operator=equals&filter[0].value=${state}`;
      const { body } = await get(`${hook.path}/deliveries?${filter}`);
      return body.map((one: { id: string; state: string }) => `${one.id} ${one.state}`);
    };
    const bad = receiver.ids().find((id) => id !== good);
    await until(async () => (await byState("retrying")).length === 1);
    assert.deepEqual(await byState("retrying"), [`${bad} retrying`]);
    assert.deepEqual(await byState("pending"), []);
    assert.deepEqual(await byState("delivered"), [`${good} delivered`]);
    const { body } = await get(`${hook.path}/health`);
    assert.equal(body.pending, 1, "it waits all the same");
  });

  it("404: a webhook that is unknown, another tenant's, or deleted", async (t) => {
    const { hook } = await open(t);
    const foreign = await get(`/api/rival/webhooks/${hook.id}/deliveries`);
    assert.equal(foreign.status, 404);
    assert.equal(foreign.body.code, "webhook.not-found");
    assert.equal((await get(`/api/${hook.tenantId}/webhooks/nobod/deliveries`)).status, 404);
    await api.delete(hook.path, { key: api.operatorKey });
    assert.equal((await get(`${hook.path}/deliveries`)).status, 404);
  });
});

describe("GET …/deliveries/:deliveryId (delivery.get)", () => {
  it("200: every attempt with request and answer, and the body to the byte", async (t) => {
    const { receiver, hook } = await open(t);
    receiver.answer({ status: 503, headers: { "x-reason": "busy" }, body: "later 🎫" });
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    const id = String(got?.body.id);
    await until(async () => (await get(`${hook.path}/deliveries/${id}`)).body.attemptCount > 0);
    const { body, headers } = await get(`${hook.path}/deliveries/${id}`);
    assert.equal(body.id, got?.headers["webhook-id"]);
    assert.equal(body.state, "retrying");
    assert.equal(body.lastStatus, 503);
    assert.ok(Date.parse(body.nextAttemptAt) > Date.parse(body.createdAt));
    assert.equal(body.finishedAt, null);
    assert.equal(body.body, got?.raw.toString());
    const [attempt] = body.attempts;
    assert.equal(attempt.status, 503);
    assert.ok(attempt.durationMs >= 0);
    assert.equal(attempt.response.body, "later 🎫");
    assert.equal(attempt.response.headers["x-reason"], "busy");
    assert.equal(attempt.request.url, receiver.url);
    for (const [name, value] of Object.entries(attempt.request.headers)) {
      assert.equal(got?.headers[name], value, name);
    }
    assert.equal(Object.keys(attempt.request.headers).length, 8);
    const etag = headers.get("etag") ?? "";
    const again = await api.get(`${hook.path}/deliveries/${id}`, {
      key: api.operatorKey,
      headers: { "if-none-match": etag },
    });
    assert.equal(again.status, 304);
  });

  it("200: without a body once the event is gone", async (t) => {
    const { receiver, hook } = await open(t);
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    const id = String(got?.body.id);
    await settled(hook, id, "delivered");
    await api.sql("delete from event where id = $1", [id]);
    assert.equal((await get(`${hook.path}/deliveries/${id}`)).body.body, null);
    const once = await post(`${hook.path}/deliveries/${id}/redeliver`);
    assert.equal(once.status, 409);
    assert.equal(once.body.code, "delivery.event-gone");
  });

  it("404: an event this webhook was never owed, and a foreign webhook", async (t) => {
    const { receiver, hook } = await open(t);
    const other = await subscribe(hook.tenantId, receiver.url, { events: ["nothing.ever"] });
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    const missing = await get(`${other.path}/deliveries/${got?.body.id}`);
    assert.equal(missing.status, 404);
    assert.equal(missing.body.code, "delivery.not-found");
    const foreign = await get(`/api/rival/webhooks/${hook.id}/deliveries/${got?.body.id}`);
    assert.equal(foreign.body.code, "webhook.not-found");
  });
});

describe("POST …/redeliver (delivery.redeliver)", () => {
  it("202: what arrived, and what failed, is sent once more, and its log goes on", async (t) => {
    const { receiver, hook } = await open(t);
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    const id = String(got?.body.id);
    await settled(hook, id, "delivered");
    const answer = await post(`${hook.path}/deliveries/${id}/redeliver`);
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.body.state, "pending");
    assert.equal(answer.body.attemptCount, 1);
    assert.equal(answer.body.attempts.length, 1);
    const [, again] = await receiver.waitFor(2);
    assert.deepEqual(again?.raw, got?.raw);
    assert.equal(again?.headers["webhook-id"], id);
    assert.ok(again !== undefined && isSignedBy(hook.signatureSecret, again));
    const done = await settled(hook, id, "delivered");
    assert.equal(done.attemptCount, 2);
    const triggers = done.attempts.map(({ trigger }: { trigger: string }) => trigger);
    assert.deepEqual(triggers, ["event", "manual"]);
  });

  it("202: one asked for that fails is tried again on schedule, as the first one was", async (t) => {
    const { receiver, hook } = await open(t);
    const slowness = watchSlowness();
    receiver.answer(500);
    const [id = ""] = await happen(hook);
    await settled(hook, id, "retrying");
    assert.equal((await post(`${hook.path}/deliveries/${id}/redeliver`)).status, 202);
    await until(async () => (await get(`${hook.path}/deliveries/${id}`)).body.attemptCount === 2);
    const { body } = await get(`${hook.path}/deliveries/${id}`);
    assert.equal(body.state, "retrying");
    const waitMs = Date.parse(body.nextAttemptAt) - Date.parse(body.attempts[1].at);
    const waitMsMax = 5_500 + 1_000 * slowness();
    assert.ok(
      waitMs >= 5_000 && waitMs < waitMsMax,
      `${waitMs} ms: the first step of the schedule`,
    );
    receiver.answer(200);
    const done = await settled(hook, id, "delivered");
    const triggers = done.attempts.map(({ trigger }: { trigger: string }) => trigger);
    assert.deepEqual([done.attemptCount, ...triggers], [3, "event", "manual", "retry"]);
  });

  it("202: one that waits for its next attempt is attempted now", async (t) => {
    const { receiver, hook } = await open(t);
    receiver.answer({ status: 503, headers: { "retry-after": "3600" } });
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    const id = String(got?.body.id);
    await until(async () => (await get(`${hook.path}/deliveries/${id}`)).body.attemptCount === 1);
    receiver.answer(200);
    assert.equal((await post(`${hook.path}/deliveries/${id}/redeliver`)).status, 202);
    await settled(hook, id, "delivered");
    assert.equal(receiver.received.length, 2);
  });

  it("202: one that is being attempted is left to that attempt", async (t) => {
    const { receiver, hook } = await open(t);
    let finish = () => {};
    receiver.answer(() => new Promise((resolve) => (finish = () => resolve(200))));
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    const id = String(got?.body.id);
    const answer = await post(`${hook.path}/deliveries/${id}/redeliver`);
    assert.equal(answer.status, 202);
    finish();
    const done = await settled(hook, id, "delivered");
    assert.equal(done.attempts.length, 1);
    assert.equal(receiver.received.length, 1);
  });

  it("409: a disabled webhook", async (t) => {
    const { receiver, hook } = await open(t);
    await happen(hook);
    const [got] = await receiver.waitFor(1);
    await settled(hook, String(got?.body.id), "delivered");
    await enable(hook, false);
    const answer = await post(`${hook.path}/deliveries/${got?.body.id}/redeliver`);
    assert.equal(answer.status, 409);
    assert.equal(answer.body.code, "webhook.is-disabled");
    assert.equal((await post(`${hook.path}/deliveries/evt_none/redeliver`)).status, 409);
  });
});
