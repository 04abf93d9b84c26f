import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { type Hook, oweDeliveries, seedWebhook } from "#test/support/factories.ts";
import { shareApi } from "#test/support/start-api.ts";
import { isSignedBy, type Receiver, startReceiver, until } from "#test/support/webhook-receiver.ts";

const shared = shareApi();
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Owner = Parameters<typeof startReceiver>[0];
type Row = {
  state: string;
  due_at: Date;
  claim: string | null;
  attempt_count: number;
  attempts: { status: number | null; error: { code: string } | null; response: unknown }[];
};

async function subscribe(tenantId: string, endpoint: string, more: object = {}): Promise<Hook> {
  await shared().seed.tenant(tenantId);
  return await seedWebhook(shared(), tenantId, { events: ["api-key.*"], endpoint, ...more });
}

async function change(tenantId: string, { id }: Hook, body: object): Promise<void> {
  const { operatorKey: key, patch } = shared();
  const { status, text } = await patch(`/api/${tenantId}/webhooks/${id}`, { key, body });
  assert.equal(status, 200, text);
}

const happen = (tenantId: string) => shared().seed.key(tenantId, "Pass.Read");

async function rowsOf(tenantId: string): Promise<Row[]> {
  const rows = await shared().sql("select * from delivery where tenant_id = $1 order by sequence", [
    tenantId,
  ]);
  return rows as unknown as Row[];
}

/** The only delivery of a tenant, after so many attempts were recorded. */
async function afterAttempts(tenantId: string, count: number): Promise<Row> {
  let last: Row | undefined;
  await until(
    async () => {
      [last] = await rowsOf(tenantId);
      return last !== undefined && last.attempts.length >= count && last.claim === null;
    },
    () => JSON.stringify(last),
  );
  assert.ok(last !== undefined);
  return last;
}

/** Makes all deliveries of the tenant due now. */
async function makeDue(tenantId: string): Promise<void> {
  await shared().sql("update delivery set due_at = now() where tenant_id = $1", [tenantId]);
}

async function failOnce(t: Owner, tenantId: string, reply: Parameters<Receiver["answer"]>[0]) {
  const receiver = await startReceiver(t);
  receiver.answer(reply);
  const hook = await subscribe(tenantId, receiver.url);
  await happen(tenantId);
  const [got] = await receiver.waitFor(1);
  const row = await afterAttempts(tenantId, 1);
  return { receiver, hook, row, waitMs: row.due_at.getTime() - (got?.at ?? 0) };
}

describe("a delivery", { concurrency: 4 }, () => {
  it("reaches the endpoint with headers and both signatures, and is written down", async (t) => {
    const receiver = await startReceiver(t);
    const { signatureSecret } = await subscribe("first", receiver.url);
    receiver.answer({ status: 202, headers: { "x-seen": "yes" }, body: "thank\0you 🎟️" });
    await happen("first");
    const [got] = await receiver.waitFor(1);
    assert.ok(got !== undefined && isSignedBy(signatureSecret, got));
    new StandardWebhook(`whsec_${signatureSecret}`).verify(got.raw.toString(), got.headers);
    const { id, event, tenantId, environment, data } = got.body;
    assert.deepEqual([event, tenantId, environment], ["api-key.created", "first", "staging"]);
    assert.ok(!JSON.stringify(data).includes("token"));
    assert.equal(got.headers["x-service-eventname"], "api-key.created");
    assert.equal(got.headers["x-service-tenantid"], "first");
    assert.equal(got.headers["webhook-id"], id);
    assert.equal(got.headers["content-type"], "application/json");
    assert.deepEqual([got.headers["x-service-test"], got.body.test], [undefined, undefined]);

    const { state, attempts } = await afterAttempts("first", 1);
    assert.equal(state, "delivered");
    const [attempt] = attempts;
    assert.equal(attempt?.status, 202);
    assert.match(JSON.stringify(attempt.response), /thank\ufffdyou 🎟️/);
    assert.match(JSON.stringify(attempt.response), /"x-seen":"yes"/);
  });

  it("of an event whose pattern does not match is not made, nor for one disabled", async (t) => {
    const receiver = await startReceiver(t);
    await subscribe("others", receiver.url, { events: ["pass.*"] });
    await subscribe("others", receiver.url, { enabled: false });
    await happen("others");
    assert.deepEqual(await rowsOf("others"), []);
  });

  it("is made for every pattern that the name begins with, whatever follows", async (t) => {
    const receiver = await startReceiver(t);
    const events = ["api-key.created", "api-key.*", "api-key*", "api-key.cre*", "API-KEY:C*", "a*"];
    for (const pattern of events) {
      await subscribe("begins", `${receiver.url}?${pattern}`, { events: [pattern] });
    }
    await happen("begins");
    await receiver.waitFor(events.length);
  });

  it("keeps emoji, line separators and large numbers as they were", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await subscribe("exact", receiver.url, { events: ["pass.*"] });
    const data = '{"n": 12345678901234567890, "t": "🎟️\u2028\u2029 é"}';
    await oweDeliveries(shared(), hook, { event: "pass.created", data });
    const [got] = await receiver.waitFor(1);
    assert.ok(got !== undefined && isSignedBy(hook.signatureSecret, got));
    new StandardWebhook(`whsec_${hook.signatureSecret}`).verify(got.raw.toString(), got.headers);
    assert.ok(got.raw.toString().includes("12345678901234567890"));
    assert.equal((got.body.data as { t: string }).t, "🎟️\u2028\u2029 é");
  });

  it("that failed is tried again after 5 s, the same event with a fresh signature", async (t) => {
    const { receiver, hook, row, waitMs } = await failOnce(t, "again", 500);
    assert.equal(row.state, "pending");
    assert.ok(waitMs >= 5 * SECOND && waitMs < 20 * SECOND, String(waitMs));
    receiver.answer(200);
    const [first, second] = await receiver.waitFor(2);
    assert.ok(first !== undefined && second !== undefined);
    assert.ok(second.at - first.at >= 5 * SECOND, "never early");
    assert.deepEqual(second.body, first.body);
    assert.notEqual(second.headers["webhook-timestamp"], first.headers["webhook-timestamp"]);
    assert.ok(isSignedBy(hook.signatureSecret, second));
    assert.equal((await afterAttempts("again", 2)).state, "delivered");
  });

  it("waits as long as Retry-After says", async (t) => {
    const reply = { status: 503, headers: { "retry-after": "600" } };
    const { waitMs } = await failOnce(t, "patient", reply);
    assert.ok(waitMs >= 10 * MINUTE && waitMs < 12 * MINUTE, String(waitMs));
  });

  it("whose endpoint says Retry-After twice is tried again all the same", async (t) => {
    const headers = { "retry-after": ["600", "700"] } as unknown as Record<string, string>;
    const { row, waitMs } = await failOnce(t, "doubtful", { status: 503, headers });
    assert.equal(row.attempts[0]?.status, 503);
    assert.ok(waitMs >= 10 * MINUTE && waitMs < 11 * MINUTE, String(waitMs));
  });

  it("follows no redirect", async (t) => {
    const other = await startReceiver(t);
    const reply = { status: 308, headers: { location: other.url } };
    const { row } = await failOnce(t, "elsewhere", reply);
    assert.deepEqual([row.state, row.attempts[0]?.status], ["pending", 308]);
    assert.equal(other.received.length, 0);
  });

  it("is given up after the tenth attempt, and all are in the log", async (t) => {
    const { receiver } = await failOnce(t, "stubborn", 500);
    for (let count = 2; count <= 10; count += 1) {
      await makeDue("stubborn");
      await receiver.waitFor(count);
      await afterAttempts("stubborn", count);
    }
    const [row] = await rowsOf("stubborn");
    assert.deepEqual([row?.state, row?.attempts.length], ["failed", 10]);
  });

  it("answered 410 disables the webhook, and others are told", async (t) => {
    const watcher = await startReceiver(t);
    const receiver = await startReceiver(t);
    receiver.answer(410);
    await subscribe("gone", watcher.url, { events: ["webhook.*"] });
    const hook = await subscribe("gone", receiver.url);
    await happen("gone");
    const [told] = await watcher.waitFor(1);
    assert.equal(told?.body.event, "webhook.disabled");
    const data = told.body.data as { id: string; reason: string };
    assert.deepEqual([data.id, data.reason], [hook.id, "gone"]);
    const { operatorKey: key, get } = shared();
    const { body } = await get(`/api/gone/webhooks/${hook.id}`, { key });
    assert.equal(body.enabled, false);
  });

  it("answered 410 by an endpoint that was replaced meanwhile disables nothing", async (t) => {
    const receiver = await startReceiver(t);
    const other = await startReceiver(t);
    const hook = await subscribe("replaced", receiver.url);
    receiver.answer(async () => {
      await change("replaced", hook, { endpoint: other.url });
      return 410;
    });
    await happen("replaced");
    assert.equal((await afterAttempts("replaced", 1)).state, "failed");
    await happen("replaced");
    await other.waitFor(1);
  });

  it("goes to every webhook of a tenant at once, however slow they all are", async (t) => {
    const count = 20;
    const receiver = await startReceiver(t);
    receiver.answer("hang");
    for (let n = 0; n < count; n += 1) await subscribe("many", `${receiver.url}?${n}`);
    await happen("many");
    await receiver.waitFor(count, 15_000);
  });

  it("written by a node whose clock is ahead does not wait for the time to come", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await subscribe("ahead", receiver.url, { events: ["pass.*"] });
    await oweDeliveries(shared(), hook, { event: "pass.created", dueIn: "1 hour" });
    await receiver.waitFor(1);
  });

  it("that fails after five days of failures disables the webhook; a success forgets", async (t) => {
    const { receiver, hook } = await failOnce(t, "failing", 500);
    const sinceOf = async () => {
      const [row] = await shared().sql("select failing_since from webhook where id = $1", [
        hook.id,
      ]);
      return row?.failing_since as Date | null;
    };
    assert.ok((await sinceOf()) instanceof Date);
    receiver.answer(200);
    await makeDue("failing");
    await until(async () => (await sinceOf()) === null);

    receiver.answer(500);
    await happen("failing");
    await until(async () => (await sinceOf()) !== null);
    await shared().sql(
      "update webhook set failing_since = now() - interval '5 days' where id = $1",
      [hook.id],
    );
    await happen("failing");
    const { operatorKey: key, get } = shared();
    const isEnabled = async () => (await get(`/api/failing/webhooks/${hook.id}`, { key })).body;
    await until(async () => !(await isEnabled()).enabled);
    const events = await shared().sql(
      "select data from event where tenant_id = 'failing' and name = 'webhook.disabled'",
    );
    assert.equal(events.length, 1);
  });

  it("waits while its webhook is disabled and goes on when it is enabled again", async (t) => {
    const { receiver, hook } = await failOnce(t, "paused", 500);
    await change("paused", hook, { enabled: false });
    await makeDue("paused");
    await happen("paused");
    receiver.answer(200);
    await change("paused", hook, { enabled: true });
    await receiver.waitFor(2);
    assert.equal((await afterAttempts("paused", 2)).state, "delivered");
    assert.equal((await rowsOf("paused")).length, 1, "what happened meanwhile is for recovery");
  });

  it("goes to the endpoint that is set when it is sent", async (t) => {
    const { receiver, hook } = await failOnce(t, "moved", 500);
    const other = await startReceiver(t);
    await change("moved", hook, { endpoint: other.url });
    await makeDue("moved");
    await other.waitFor(1);
    assert.equal(receiver.received.length, 1);
  });

  it("to a webhook that wants order follows the one before, however long that takes", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await subscribe("orderly", receiver.url);
    await shared().sql("update webhook set ordered = true where id = $1", [hook.id]);
    receiver.answer(500);
    await happen("orderly");
    await afterAttempts("orderly", 1);
    for (let count = 0; count < 5; count += 1) await happen("orderly");
    assert.equal(receiver.received.length, 1, "the others wait");
    receiver.answer(200);
    await makeDue("orderly");
    await receiver.waitFor(7);
    const sent = await shared().sql(
      "select event_id from delivery where tenant_id = 'orderly' order by sequence",
    );
    const [first] = receiver.ids();
    assert.deepEqual(receiver.ids(), [first, ...sent.map(({ event_id }) => event_id)]);
  });

  it("too large to be taken anywhere is given up and says so", async (t) => {
    const receiver = await startReceiver(t);
    const hook = await subscribe("large", receiver.url, { events: ["pass.*"] });
    const data = JSON.stringify({ t: "x".repeat(300_000) });
    await oweDeliveries(shared(), hook, { event: "pass.created", data });
    const row = await afterAttempts("large", 1);
    assert.deepEqual(
      [row.state, row.attempts[0]?.error?.code],
      ["failed", "delivery.body-too-large"],
    );
  });
});
