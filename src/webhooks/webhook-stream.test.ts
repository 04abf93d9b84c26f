import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { type EventSource, openEvents } from "#test/support/event-source.ts";
import { startApi } from "#test/support/start-api.ts";
import { webhookTest } from "./webhook.events.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await api.seed.tenant("acme");

type Owner = { after(undo: () => Promise<void>): void };
type Hook = { id: string; endpoint: string; signatureSecret: string };
type Delivery = { url: string; headers: Record<string, string>; body: string };

async function makeHook(events = ["api-key.*"]): Promise<Hook> {
  const body = { events, endpoint: "https://hooks.example.com/in" };
  return (await api.post("/api/acme/webhooks", { key, body })).body;
}

const pathOf = ({ id }: Hook) => `/api/acme/webhooks/${id}/stream`;

async function listen(t: Owner, path: string, lastEventId?: string): Promise<EventSource> {
  const place = lastEventId === undefined ? {} : { lastEventId };
  const source = await openEvents(api, path, { key, ...place });
  t.after(() => source.close());
  await source.started();
  return source;
}

let count = 0;

async function happen(): Promise<string> {
  count += 1;
  const body = { name: `made-${count}`, scopes: ["Pass.Read"] };
  await api.post("/api/acme/admin/apiKeys", { key, body });
  return body.name;
}

async function test(webhookId: string, sample: { event: string; data: unknown } | null) {
  const call = systemCall(api.runtime, "webhook.test", { tenantId: "acme" });
  await call.transaction(async (tx) => {
    tx.emit(webhookTest, { webhookId, message: "A test.", sample });
  });
}

function deliveriesOf({ messages }: EventSource): Delivery[] {
  return messages.map(({ data = "" }) => JSON.parse(data));
}

const mentions = (source: EventSource, text: string) => () =>
  deliveriesOf(source).some(({ body }) => body.includes(text));

describe("GET /api/:tenantId/webhooks/:id/stream (webhook.stream)", () => {
  it("200: gives what is delivered, ready to be sent on, of a webhook that is not enabled too", async (t) => {
    const hook = await makeHook();
    const source = await listen(t, pathOf(hook));
    const name = await happen();
    await source.until("the delivery", mentions(source, name));
    assert.ok(source.messages.every(({ event }) => event === "delivery"));
    const { url, headers, body } = deliveriesOf(source).at(-1) as Delivery;
    assert.equal(url, hook.endpoint);
    const { id, event, tenantId, data } = JSON.parse(body);
    assert.deepEqual([event, tenantId, data.name], ["api-key.created", "acme", name]);

    const secret = hook.signatureSecret;
    assert.equal(
      headers["x-service-signature"],
      createHmac("sha256", secret).update(body).digest("hex"),
    );
    const signed = `${id}.${headers["webhook-timestamp"]}.${body}`;
    const standard = createHmac("sha256", Buffer.from(secret, "base64")).update(signed);
    assert.equal(headers["webhook-signature"], `v1,${standard.digest("base64")}`);
    assert.equal(headers["webhook-id"], id);
    assert.equal(headers["x-service-eventname"], "api-key.created");
    assert.equal(headers["content-type"], "application/json");
  });

  it("200: goes on after the last message", async (t) => {
    const hook = await makeHook();
    const first = await listen(t, pathOf(hook));
    const before = await happen();
    await first.until("the first", mentions(first, before));
    const lastEventId = first.lastEventId();
    await first.close();
    const missed = await happen();
    for (const again of [
      await listen(t, pathOf(hook), lastEventId),
      await listen(t, `${pathOf(hook)}?cursor=${lastEventId}`),
    ]) {
      await again.count(1);
      assert.deepEqual(
        deliveriesOf(again).map(({ body }) => JSON.parse(body).data.name),
        [missed],
      );
    }
  });

  it("200: gives its own tests, whatever it subscribes to, and those of no other", async (t) => {
    const [hook, other] = [await makeHook(["nothing.at-all"]), await makeHook(["*"])];
    const [mine, theirs] = [await listen(t, pathOf(hook)), await listen(t, pathOf(other))];
    await happen();
    await test(hook.id, { event: "pass.created", data: { id: "an-example" } });
    await test(hook.id, null);
    await mine.count(2);
    const [sample, plain] = deliveriesOf(mine);
    assert.equal(sample?.headers["x-service-eventname"], "pass.created");
    assert.equal(sample?.headers["x-service-test"], "true");
    const { event, data, test: isTest } = JSON.parse(sample?.body ?? "");
    assert.deepEqual([event, data, isTest], ["pass.created", { id: "an-example" }, true]);
    assert.equal(JSON.parse(plain?.body ?? "").data.message, "A test.");
    const name = await happen();
    await theirs.until("what came after the tests", mentions(theirs, name));
    assert.ok(!mentions(theirs, hook.id)());
  });

  it("ends with the next event after the webhook was changed or deleted", async (t) => {
    const [changed, deleted] = [await makeHook(), await makeHook()];
    const sources = [await listen(t, pathOf(changed)), await listen(t, pathOf(deleted))];
    await api.patch(`/api/acme/webhooks/${changed.id}`, { key, body: { events: ["pass.*"] } });
    await api.delete(`/api/acme/webhooks/${deleted.id}`, { key });
    const name = await happen();
    for (const source of sources) {
      await source.ended();
      assert.ok(!mentions(source, name)());
    }
  });

  it("404, 400, 401, 403: as any other reading of a webhook", async () => {
    const hook = await makeHook();
    assert.equal(
      (await api.get("/api/acme/webhooks/nope0/stream", { key })).body.code,
      "webhook.not-found",
    );
    const wrong = await api.get(`${pathOf(hook)}?cursor=x`, { key });
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [400, ["cursor"]]);
    assert.equal((await api.get(pathOf(hook))).status, 401);
    const reader = await api.seed.key("acme", "Webhook.Read");
    assert.equal((await api.get(pathOf(hook), { key: reader })).status, 403);
    await api.seed.tenant("rival");
    const rival = await api.get(`/api/rival/webhooks/${hook.id}/stream`, { key });
    assert.equal(rival.status, 404);
  });

  it("each connection is an audit row, which holds no secret", async (t) => {
    const hook = await makeHook();
    await listen(t, pathOf(hook));
    const rows = await api.sql("select * from audit where op = 'webhook.stream' and target = $1", [
      `webhook:${hook.id}`,
    ]);
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(hook.signatureSecret));
    assert.ok(api.logLines.every((line) => !line.includes(hook.signatureSecret)));
  });
});
