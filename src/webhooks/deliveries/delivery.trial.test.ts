import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { startApi } from "#test/support/start-api.ts";
import { isSignedBy, until } from "#test/support/webhook-receiver.ts";
import { createStage } from "#test/support/webhook-stage.ts";

const api = await startApi({ after });
const { open, get, post, settled, subscribe } = createStage(api);
await api.seed.tenant("rival");

describe("POST …/test (webhook.test)", () => {
  it("200: goes to a disabled webhook too, signed, and tells what came back", async (t) => {
    const { receiver, hook } = await open(t, { enabled: false, events: ["nothing.ever"] });
    receiver.answer({ status: 201, body: "thanks" });
    const { status, body, text } = await post(`${hook.path}/test`);
    assert.equal(status, 200, text);
    const [got] = receiver.received;
    assert.ok(got !== undefined && isSignedBy(hook.signatureSecret, got));
    new StandardWebhook(`whsec_${hook.signatureSecret}`).verify(got.raw.toString(), got.headers);
    assert.equal(got.headers["x-service-eventname"], "webhook.test");
    assert.equal(got.headers["x-service-test"], "true");
    assert.equal(got.body.event, "webhook.test");
    assert.equal(got.body.test, true);
    assert.deepEqual(got.body.data, {
      webhookId: hook.id,
      message: "This is a test. Nothing has happened.",
      sample: null,
    });
    assert.equal(body.id, got.body.id);
    assert.equal(body.state, "delivered");
    assert.equal(body.event, "webhook.test");
    assert.equal(body.sampleOf, null);
    assert.equal(body.body, got.raw.toString());
    assert.equal(body.attempts.length, 1);
    assert.equal(body.attempts[0].status, 201);
    assert.equal(body.attempts[0].trigger, "test");
    assert.equal(body.attempts[0].request.headers["x-service-test"], "true");
    assert.equal(body.attempts[0].response.body, "thanks");
    assert.ok(body.attempts[0].durationMs >= 0);
    assert.deepEqual((await get(`${hook.path}/deliveries/${body.id}`)).body, body);
  });

  it("200: with an event, its documented example under its name", async (t) => {
    const { receiver, hook } = await open(t);
    const { body } = await post(`${hook.path}/test`, { event: "configuration.published" });
    const [got] = receiver.received;
    assert.equal(got?.headers["x-service-eventname"], "configuration.published");
    assert.equal(got?.headers["x-service-test"], "true");
    assert.deepEqual([got?.body.event, got?.body.test], ["configuration.published", true]);
    const { body: document } = await api.get("/openapi.json");
    const documented = document.components.examples.EventConfigurationPublished.value;
    assert.deepEqual(got?.body.data, documented.data);
    assert.equal(body.sampleOf, "configuration.published");
    assert.equal(body.body, got?.raw.toString());
    assert.equal(
      body.attempts[0].request.headers["x-service-eventname"],
      "configuration.published",
    );
  });

  it("200: an endpoint that refuses or is not there; it counts for nothing and is not repeated", async (t) => {
    const { receiver, hook } = await open(t);
    receiver.answer(410);
    const refused = (await post(`${hook.path}/test`, {})).body;
    assert.equal(refused.state, "failed");
    assert.equal(refused.lastStatus, 410);
    await api.patch(hook.path, {
      key: api.operatorKey,
      body: { endpoint: "http://127.0.0.1:65533/" },
    });
    const away = (await post(`${hook.path}/test`, {})).body;
    assert.equal(away.state, "failed");
    assert.equal(away.nextAttemptAt, null);
    assert.equal(away.attempts[0].status, null);
    assert.match(away.attempts[0].error.code, /^egress\./);
    const { body: health } = await get(`${hook.path}/health`);
    assert.equal(health.enabled, true);
    assert.equal(health.failingSince, null);
    assert.equal(health.pending, 0);
    assert.equal(receiver.received.length, 1);
  });

  it("200: can be sent once more, as the same example", async (t) => {
    const { receiver, hook } = await open(t);
    receiver.answer(500);
    const { body } = await post(`${hook.path}/test`, { event: "configuration.published" });
    receiver.answer(200);
    assert.equal((await post(`${hook.path}/deliveries/${body.id}/redeliver`)).status, 202);
    await settled(hook, body.id, "delivered");
    const [first, second] = receiver.received;
    assert.deepEqual(second?.raw, first?.raw);
    assert.equal(second?.headers["x-service-eventname"], "configuration.published");
    assert.deepEqual([second?.headers["x-service-test"], second?.body.test], ["true", true]);
  });

  it("200: reaches no other webhook, whatever it subscribes to", async (t) => {
    const { receiver, hook } = await open(t, { events: ["*"] });
    const other = await subscribe(hook.tenantId, `${receiver.url}/other`, {
      events: ["*"],
    });
    await post(`${hook.path}/test`, {});
    assert.deepEqual((await get(`${other.path}/deliveries`)).body, []);
    assert.deepEqual(
      receiver.received.map(({ path }) => path),
      ["/hook"],
    );
  });

  it("no transaction is open while the endpoint is waited for, also with an Idempotency-Key", async (t) => {
    const { receiver, hook } = await open(t);
    const idle = `select from pg_stat_activity
                   where datname = current_database() and state = 'idle in transaction'`;
    const seen: unknown[] = [];
    receiver.answer(async () => {
      // Other connections come and go; a transaction that waited for this answer would stay open.
      await until(async () => (await api.sql(idle)).length === 0);
      const [left] = (await get(`${hook.path}/deliveries`)).body;
      // A crash would leave a failed delivery, not one that waits for ever.
      seen.push(left.state, left.attemptCount);
      return 200;
    });
    const headers = { "idempotency-key": "one" };
    const first = await post(`${hook.path}/test`, {}, headers);
    assert.deepEqual(seen, ["failed", 0]);
    const second = await post(`${hook.path}/test`, {}, headers);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    assert.equal(second.text, first.text);
    assert.equal(receiver.received.length, 1);
    const other = await post(`${hook.path}/test`, { event: "webhook.test" }, headers);
    assert.equal(other.status, 422);
  });

  it("409: the same Idempotency-Key while the first request waits", async (t) => {
    const { receiver, hook } = await open(t);
    const headers = { "idempotency-key": "two" };
    let second: number | undefined;
    receiver.answer(async () => {
      second ??= (await post(`${hook.path}/test`, {}, headers)).status;
      return 200;
    });
    assert.equal((await post(`${hook.path}/test`, {}, headers)).status, 200);
    assert.equal(second, 409);
    assert.equal(receiver.received.length, 1);
  });

  it("200: runs again under the key of a request whose process died, once its time is over", async (t) => {
    const { receiver, hook } = await open(t);
    const headers = { "idempotency-key": "died" };
    await post(`${hook.path}/test`, {}, headers);
    const leave = async (runningUntil: Date) => {
      const [row] = await api.sql("select * from idempotent_answer where tenant_id = $1", [
        hook.tenantId,
      ]);
      assert.ok(row !== undefined);
      const keyHash = (row.key_hash as Buffer).toString("base64");
      const place = [hook.tenantId, row.credential_id, "webhook.test", keyHash].join("|");
      const note = Buffer.from(JSON.stringify({ runningUntil }));
      await api.sql("update idempotent_answer set answer = $1 where tenant_id = $2", [
        api.runtime.sealer.seal("idempotency", place, note),
        hook.tenantId,
      ]);
    };
    await leave(new Date(Date.now() + 60_000));
    assert.equal((await post(`${hook.path}/test`, {}, headers)).status, 409);
    await leave(new Date(Date.now() - 1));
    const again = await post(`${hook.path}/test`, {}, headers);
    assert.equal(again.status, 200);
    assert.equal(again.headers.get("idempotency-replayed"), null);
    assert.equal(receiver.received.length, 2);
  });

  it("400: an event that does not exist, with an Idempotency-Key that is free again", async (t) => {
    const { receiver, hook } = await open(t);
    const headers = { "idempotency-key": "three" };
    for (const event of ["pass.nonsense", "*", "a\r\nx: y", "", 7]) {
      const answer = await post(`${hook.path}/test`, { event }, headers);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(answer.body.errors), ["event"]);
    }
    assert.equal(receiver.received.length, 0);
    assert.equal((await post(`${hook.path}/test`, {}, headers)).status, 200);
  });

  it("404: none of this tenant", async (t) => {
    const { hook } = await open(t);
    assert.equal((await post(`/api/rival/webhooks/${hook.id}/test`, {})).status, 404);
  });

  it("429: the thirty-first of a minute", async (t) => {
    const { hook } = await open(t);
    const statuses: number[] = [];
    // Twice as many, because a minute may end during the loop.
    for (let sent = 0; sent < 62; sent += 1) {
      statuses.push((await post(`${hook.path}/test`, { event: "no.such" })).status);
    }
    assert.ok(statuses.slice(0, 30).every((status) => status === 400));
    assert.ok(statuses.includes(429));
  });
});
