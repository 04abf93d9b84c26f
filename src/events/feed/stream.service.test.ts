import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { STREAMS_PER_TENANT_MAX } from "#kernel/http/stream-host.ts";
import { createBreakableLink } from "#test/support/breakable-link.ts";
import { type EventSource, openEvents } from "#test/support/event-source.ts";
import { toUrl } from "#test/support/server.ts";
import { startApi, type TestApi } from "#test/support/start-api.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const PATH = "/api/acme/events/stream";
await api.seed.tenant("acme");

type Owner = { after(undo: () => Promise<void>): void };
type Options = { key?: string; lastEventId?: string; node?: TestApi };

async function listen(t: Owner, path = PATH, options: Options = {}): Promise<EventSource> {
  const { node = api, ...others } = options;
  const source = await openEvents(node, path, { key, ...others });
  t.after(() => source.close());
  if (source.status === 200) await source.started();
  return source;
}

let count = 0;

/** Causes an event in the tenant by creating a key. The name of the key identifies the event. */
async function happen(tenantId = "acme", on: Pick<TestApi, "post"> = api): Promise<string> {
  count += 1;
  const name = `made-${count}`;
  const body = { name, scopes: ["Pass.Read"] };
  const { status, text } = await on.post(`/api/${tenantId}/admin/apiKeys`, { key, body });
  assert.equal(status, 201, text);
  return name;
}

function namesOf({ messages }: Pick<EventSource, "messages">): string[] {
  return messages.map(({ data = "" }) => JSON.parse(data).data.name);
}

describe("GET /api/:tenantId/events/stream (event.stream)", () => {
  it("200: tells what happens from now on, in the words of webhooks", async (t) => {
    await happen();
    const source = await listen(t);
    assert.match(source.headers.get("content-type") ?? "", /^text\/event-stream/);
    assert.match(source.headers.get("cache-control") ?? "", /no-store/);
    assert.ok(source.headers.has("x-request-id") && source.headers.has("ratelimit"));
    const name = await happen();
    await source.until("the event", () => namesOf(source).includes(name));
    const [message] = source.messages.slice(-1);
    assert.equal(message?.event, "api-key.created");
    const { body } = await api.get(`/api/acme/events?cursor=${message?.id}`, { key });
    assert.deepEqual(body, [], "the id of a message is a place in the feed");
    const { id, data, ...head } = JSON.parse(message?.data ?? "");
    assert.match(id, /^evt_/);
    assert.equal(data.name, name);
    assert.deepEqual(Object.keys(head), ["event", "tenantId", "occurredAt", "environment"]);
  });

  it("200: goes on after the last message, by header or parameter, and misses nothing", async (t) => {
    const first = await listen(t);
    const before = await happen();
    await first.until("the first", () => namesOf(first).includes(before));
    const lastEventId = first.lastEventId();
    await first.close();
    const missed = [await happen(), await happen()];
    for (const again of [
      await listen(t, PATH, { lastEventId }),
      await listen(t, `${PATH}?cursor=${lastEventId}`),
    ]) {
      await again.count(2);
      assert.deepEqual(namesOf(again), missed);
    }
  });

  it("200: one that was cut off before anything happened goes on from its beginning", async (t) => {
    const first = await listen(t);
    const lastEventId = first.lastEventId();
    await first.close();
    const name = await happen();
    const again = await listen(t, PATH, { lastEventId });
    await again.until("the event", () => namesOf(again).includes(name));
  });

  it("200: tells only what matches, and keeps its place in what does not", async (t) => {
    const source = await listen(t, `${PATH}?event=api-key.deleted&event=nothing.*`);
    const start = source.lastEventId();
    const name = await happen();
    await source.until("a later place", () => source.lastEventId() !== start);
    assert.deepEqual(source.messages, []);
    await api.delete(`/api/acme/admin/apiKeys/${name}`, { key });
    await source.count(1);
    assert.deepEqual(
      source.messages.map(({ event }) => event),
      ["api-key.deleted"],
    );
  });

  it("200: hears what happens on another node, and nothing of another tenant", async (t) => {
    await api.seed.tenant("rival");
    const node = await api.node({ ROLES: "api" });
    const source = await listen(t);
    const theirs = await happen("rival");
    const name = await happen("acme", node);
    await source.until("the event", () => namesOf(source).includes(name));
    assert.ok(!namesOf(source).includes(theirs));
  });

  it("200: one that commits late comes in its turn, and is not waited for until the next event", async (t) => {
    const source = await listen(t);
    const late = new pg.Client(api.database.connection);
    await late.connect();
    t.after(() => late.end());
    await late.query("set app.tenant = '*'; begin");
    await late.query(
      `insert into event (tenant_id, id, name, occurred_at, data)
       values ('acme', 'evt_late', 'api-key.created', now(), '{"name": "late"}')`,
    );
    const overtook = await happen();
    const { body } = await api.get(`/api/acme/events?cursor=${source.lastEventId()}`, { key });
    assert.ok(!JSON.stringify(body).includes(overtook));
    await late.query("commit");
    await source.until("both", () => namesOf(source).includes(overtook));
    assert.deepEqual(namesOf(source).slice(-2), ["late", overtook]);
  });

  it("200: a thousand events in order, each once, while more happen", async (t) => {
    const source = await listen(t, `${PATH}?event=many.made`);
    const insert = `insert into event (tenant_id, id, name, occurred_at, data)
                    select 'acme', 'evt_many_' || n, 'many.made', now(), jsonb_build_object('name', n)
                      from generate_series($1::int, $2::int) as n order by n`;
    for (let from = 1; from <= 1_000; from += 250) await api.sql(insert, [from, from + 249]);
    await source.count(1_000);
    assert.deepEqual(
      namesOf(source).map(Number),
      Array.from({ length: 1_000 }, (_none, at) => at + 1),
    );
  });

  it("200: HEAD answers with the headers alone", async () => {
    const { status, text, headers } = await api.request("HEAD", PATH, { key });
    assert.deepEqual({ status, text }, { status: 200, text: "" });
    assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
  });

  it("400: names the parameter that is wrong", async () => {
    for (const [path, headers, field] of [
      [`${PATH}?cursor=x`, {}, "cursor"],
      [PATH, { "last-event-id": "x" }, "Last-Event-ID"],
      [`${PATH}?event=a*b`, {}, "event"],
      [`${PATH}?pageSize=1`, {}, "pageSize"],
    ] as const) {
      const { status, body } = await api.get(path, { key, headers });
      assert.equal(status, 400, path);
      assert.deepEqual(Object.keys(body.errors), [field]);
    }
  });

  it("ends soon after its key was revoked", async (t) => {
    const name = "short-lived";
    const body = { name, scopes: ["Webhook.Read"] };
    const made = await api.post("/api/acme/admin/apiKeys", { key, body });
    const source = await listen(t, PATH, { key: made.body.token });
    await api.delete(`/api/acme/admin/apiKeys/${name}`, { key });
    await source.ended();
  });

  it("ends soon after its tenant did", async (t) => {
    await api.seed.tenant("leaving");
    const source = await listen(t, "/api/leaving/events/stream");
    await api.delete("/api/tenants/leaving", { key });
    await source.ended();
  });

  it(`429: more than ${STREAMS_PER_TENANT_MAX} of a tenant, until one is closed`, async (t) => {
    await api.seed.tenant("crowded");
    const path = "/api/crowded/events/stream";
    const open = Array.from({ length: STREAMS_PER_TENANT_MAX }, () => listen(t, path));
    const [first] = await Promise.all(open);
    const refused = await api.get(path, { key });
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, "stream.too-many");
    assert.match(refused.body.detail, /20 open streams/);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(
      (await api.get(PATH, { key })).status,
      200,
      "other tenants have places of their own",
    );
    // A failed request does not count as an open stream.
    for (let tries = 0; tries < 3; tries += 1) await api.get(`${path}?cursor=x`, { key });
    await first?.close();
    for (const deadline = Date.now() + 20_000; ; ) {
      const { status } = await api.get(path, { key });
      if (status === 200) break;
      assert.ok(Date.now() < deadline, String(status));
    }
  });
});

describe("a database that goes away", () => {
  it("ends no stream: what happened meanwhile is told when it is back", async (t) => {
    const link = await createBreakableLink(api.database.connection);
    const database = { ...api.database, url: toUrl(link.connection) };
    const node = await startApi(t, { env: { ROLES: "api" }, database });
    t.after(() => link.close());
    const source = await listen(t, PATH, { node });
    await link.cut();
    const name = await happen();
    const refused = await node.get("/api/acme/webhooks", { key });
    assert.equal(refused.status, 503);
    await link.restore();
    await source.until("what was missed", () => namesOf(source).includes(name));
  });
});

describe("a process that stops", () => {
  it("ends its streams in good order, without waiting for them", async (t) => {
    const database = api.database;
    const stops: (() => Promise<void>)[] = [];
    const node = await startApi({ after: (stop) => void stops.push(stop) }, { database });
    const sources = await Promise.all([1, 2, 3].map(() => listen(t, PATH, { node })));
    for (const stop of stops) await stop();
    // `ended` fails if the server cuts the connection before the answer is complete.
    for (const source of sources) await source.ended();
  });
});
