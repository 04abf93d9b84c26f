import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { startApi } from "#test/support/start-api.ts";
import { LOOKED_AT_MAX } from "./feed/feed.service.ts";

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;

let count = 0;

/** Makes a tenant for one test, and deletes the events of its creation. */
async function newTenant(): Promise<string> {
  count += 1;
  const tenantId = `feed-${count}`;
  await api.seed.tenant(tenantId);
  await api.sql("delete from event where tenant_id = $1", [tenantId]);
  return tenantId;
}

const INSERT = `insert into event (tenant_id, id, name, occurred_at, data, previous)
                select $1, 'evt_' || $2 || '_' || n, $2, $3::timestamptz + n * interval '1 second', $4::jsonb, $5::jsonb
                  from generate_series(1, $6::int) as n order by n`;

type Happened = { times?: number; at?: string; data?: string; previous?: string | null };

function valuesOf(tenantId: string, name: string, what: Happened) {
  const { times = 1, at = "2026-03-01T09:00:00Z", data = "{}", previous = null } = what;
  return [tenantId, name, at, data, previous, times];
}

async function happen(tenantId: string, name: string, what: Happened = {}): Promise<void> {
  await api.sql(INSERT, valuesOf(tenantId, name, what));
}

function nextOf(headers: Headers): string {
  const [, path = ""] = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "") ?? [];
  assert.notEqual(path, "", "every page names the next one");
  return path;
}

type Envelope = { id: string; event: string; occurredAt: string; data: unknown };

async function read(path: string) {
  const { status, body, headers, text } = await api.get(path, { key });
  assert.equal(status, 200, text);
  const page = body as Envelope[];
  return { page, names: page.map(({ event }) => event), text, next: nextOf(headers) };
}

/** Reads like a polling client, until a page links to itself. */
async function readAll(path: string, pagesMax = 50): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for (let [at, pages] = [path, 0]; pages < pagesMax; pages += 1) {
    const { page, next } = await read(at);
    all.push(...page);
    if (next === at) return all;
    at = next;
  }
  throw new Error("The feed does not end.");
}

/** Reads from the newest event back to the oldest, after which no page follows. */
async function readBack(path: string): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for (let at: string | undefined = path; at !== undefined; ) {
    const { status, body, headers, text } = await api.get(at, { key });
    assert.equal(status, 200, text);
    all.push(...(body as Envelope[]));
    at = headers.get("link") === null ? undefined : nextOf(headers);
  }
  return all;
}

async function planOf(condition: string, tenantId: string): Promise<string> {
  const rows = await api.sql(`explain select name from event where ${condition}`, [tenantId]);
  return rows.map((row) => Object.values(row)[0]).join("\n");
}

/** Polls, because any open transaction on the server delays the feed, even one of another test. */
async function readSoon(path: string, wanted: number) {
  for (const deadline = Date.now() + 60_000; ; ) {
    const answer = await read(path);
    if (answer.page.length >= wanted || Date.now() > deadline) return answer;
  }
}

describe("GET /api/:tenantId/events (event.list)", () => {
  it("200: the bodies of webhooks, the oldest first, and the way on even at the end", async () => {
    const tenantId = await newTenant();
    const path = `/api/${tenantId}/events`;
    assert.deepEqual((await read(path)).page, []);
    await happen(tenantId, "pass.created", { data: '{"id": "p1"}' });
    await happen(tenantId, "pass.updated", { data: '{"id": "p2"}', previous: '{"id": "p1"}' });

    const { page, next } = await readSoon(path, 2);
    assert.deepEqual(page, [
      {
        id: "evt_pass.created_1",
        event: "pass.created",
        tenantId,
        occurredAt: "2026-03-01T09:00:01.000Z",
        environment: "staging",
        data: { id: "p1" },
      },
      {
        id: "evt_pass.updated_1",
        event: "pass.updated",
        tenantId,
        occurredAt: "2026-03-01T09:00:01.000Z",
        environment: "staging",
        data: { id: "p2" },
        previous: { id: "p1" },
      },
    ]);

    const end = await read(next);
    assert.deepEqual([end.page, end.next], [[], next], "at the end it points at itself");
    await happen(tenantId, "pass.deleted");
    assert.deepEqual((await readSoon(next, 1)).names, ["pass.deleted"]);
  });

  it("200: keeps every digit and character, to the byte", async () => {
    const tenantId = await newTenant();
    const data =
      '{"big": 90071992547409931234, "exact": 0.10000000000000000001, "text": "🎫\u2028"}';
    await happen(tenantId, "thing.made", { data });
    const { text } = await readSoon(`/api/${tenantId}/events`, 1);
    for (const part of ["90071992547409931234", "0.10000000000000000001", "🎫\u2028"]) {
      assert.ok(text.includes(part), text);
    }
  });

  it("200: page by page, each event once, whatever the size of a page", async () => {
    const tenantId = await newTenant();
    // Here the sequence numbers get one more digit.
    await api.sql("alter table event alter column sequence restart with 99996");
    await happen(tenantId, "pass.created", { times: 7 });
    await readSoon(`/api/${tenantId}/events`, 7);
    for (const pageSize of [1, 3, 7, 500]) {
      const ids = (await readAll(`/api/${tenantId}/events?pageSize=${pageSize}`)).map(
        ({ id }) => id,
      );
      assert.deepEqual(
        ids,
        Array.from({ length: 7 }, (_none, at) => `evt_pass.created_${at + 1}`),
      );
    }
    const { page } = await read(`/api/${tenantId}/events`);
    assert.equal(page.length, 7);
  });

  it("200: only what matches, by one pattern or several, repeated or with commas", async () => {
    const tenantId = await newTenant();
    for (const name of ["pass.created", "store.1.updated", "customer.created", "pass.deleted"]) {
      await happen(tenantId, name);
    }
    await readSoon(`/api/${tenantId}/events`, 4);
    const path = `/api/${tenantId}/events?pageSize=2`;
    for (const [query, expected] of [
      ["event=PASS:*", ["pass.created", "pass.deleted"]],
      ["event=store.*.updated&event=customer.created", ["store.1.updated", "customer.created"]],
      ["event=store.*.updated,customer.cre*", ["store.1.updated", "customer.created"]],
      ["event=nothing", []],
    ] as const) {
      const names = (await readAll(`${path}&${query}`)).map(({ event }) => event);
      assert.deepEqual(names, expected, query);
    }
  });

  it("200: a pattern that seldom matches looks at some thousand events and moves on", async () => {
    const tenantId = await newTenant();
    await happen(tenantId, "pass.updated", { times: LOOKED_AT_MAX + 1_000 });
    await happen(tenantId, "pass.created");
    const path = `/api/${tenantId}/events`;
    await readSoon(`${path}?pageSize=1`, 1);
    const first = await read(`${path}?event=pass.created`);
    assert.deepEqual(first.page, []);
    const second = await readSoon(first.next, 1);
    assert.deepEqual(second.names, ["pass.created"]);
  });

  it("200: a page of large events is shorter than asked for, and misses none", async () => {
    const tenantId = await newTenant();
    const noise = Array.from({ length: 8_000 }, () => Math.random().toString(36)).join("");
    await happen(tenantId, "pass.created", { times: 30, data: JSON.stringify({ noise }) });
    await readSoon(`/api/${tenantId}/events?pageSize=1`, 1);
    const { page } = await read(`/api/${tenantId}/events?pageSize=500`);
    assert.ok(page.length > 0 && page.length < 30, String(page.length));
    assert.equal((await readAll(`/api/${tenantId}/events?pageSize=500`)).length, 30);
  });

  it("200: since a time, which the next page no longer names", async () => {
    const tenantId = await newTenant();
    await happen(tenantId, "a.old", { at: "2026-03-01T09:00:00Z" });
    await happen(tenantId, "b.new", { at: "2026-03-02T09:00:00Z" });
    await happen(tenantId, "c.new", { at: "2026-03-03T09:00:00Z" });
    await readSoon(`/api/${tenantId}/events`, 3);
    const path = `/api/${tenantId}/events?pageSize=1`;
    const { names, next } = await read(`${path}&since=2026-03-02T00:00:00Z`);
    assert.deepEqual(names, ["b.new"]);
    assert.doesNotMatch(next, /since/);
    assert.deepEqual((await read(next)).names, ["c.new"]);
    const later = await read(`${path}&since=2026-03-04`);
    assert.deepEqual(later.page, []);
    await happen(tenantId, "d.new", { at: "2026-03-05T09:00:00Z" });
    assert.deepEqual((await readSoon(later.next, 1)).names, ["d.new"]);
  });

  it("200: one that commits late is never skipped, and nothing overtakes it", async (t) => {
    const tenantId = await newTenant();
    const [early, late] = [
      new pg.Client(api.database.connection),
      new pg.Client(api.database.connection),
    ];
    for (const client of [early, late]) {
      await client.connect();
      t.after(() => client.end());
      await client.query("set app.tenant = '*'");
    }
    const path = `/api/${tenantId}/events`;
    await happen(tenantId, "a.before");
    const start = (await readSoon(path, 1)).next;

    await late.query("begin");
    await late.query(INSERT, valuesOf(tenantId, "b.late", {}));
    await early.query(INSERT, valuesOf(tenantId, "c.overtook", {}));
    await happen(tenantId, "d.overtook");
    const meanwhile = await read(start);
    assert.deepEqual(meanwhile.page, [], "what came after it waits for it");
    await late.query("commit");

    assert.deepEqual((await readSoon(meanwhile.next, 3)).names, [
      "b.late",
      "c.overtook",
      "d.overtook",
    ]);
  });

  it("200: the newest first by order=desc, back to the oldest, where the way ends", async () => {
    const [tenantId, other] = [await newTenant(), await newTenant()];
    await happen(other, "pass.created");
    await happen(tenantId, "pass.created", { times: 4 });
    await happen(tenantId, "pass.deleted", { data: '{"id": "p9"}' });
    const newest = ["evt_pass.deleted_1", ...[4, 3, 2, 1].map((n) => `evt_pass.created_${n}`)];
    for (const pageSize of [1, 2, 5, 500]) {
      const all = await readBack(`/api/${tenantId}/events?order=desc&pageSize=${pageSize}`);
      assert.deepEqual(
        all.map(({ id }) => id),
        newest,
      );
    }
    const some = await readBack(`/api/${tenantId}/events?order=desc&pageSize=2&event=pass.cre*`);
    assert.deepEqual(
      some.map(({ id }) => id),
      newest.slice(1),
    );
    assert.deepEqual(await readBack(`/api/${await newTenant()}/events?order=desc`), []);
  });

  it("200: the newest first back to a time, to the millisecond, which the next page still names", async () => {
    const tenantId = await newTenant();
    await happen(tenantId, "a.old", { times: 3, at: "2026-03-01T09:00:00Z" });
    // Written later than the first one of the time asked for, and dated before it.
    await happen(tenantId, "c.new", { at: "2026-03-02T08:59:59.500Z" });
    await happen(tenantId, "b.early", { at: "2026-03-02T08:59:58.999Z" });
    await happen(tenantId, "b.exact", { at: "2026-03-02T08:59:59Z" });
    await happen(tenantId, "d.new", { times: 2, at: "2026-03-03T09:00:00Z" });
    await api.sql("update event set subject = 'p1' where tenant_id = $1 and id like '%\\_1'", [
      tenantId,
    ]);
    const path = `/api/${tenantId}/events?order=desc&since=2026-03-02T09:00:00Z`;
    const newest = ["evt_d.new_2", "evt_d.new_1", "evt_b.exact_1", "evt_c.new_1"];
    const idsOf = async (query: string) => (await readBack(path + query)).map(({ id }) => id);
    for (const pageSize of [1, 2, 4, 500]) {
      assert.deepEqual(await idsOf(`&pageSize=${pageSize}`), newest, String(pageSize));
    }
    assert.match((await read(`${path}&pageSize=1`)).next, /&since=2026-03-02T09:00:00Z&.*cursor=/);
    assert.deepEqual(await idsOf("&pageSize=1&event=c.*,a.*"), ["evt_c.new_1"]);
    assert.deepEqual(await idsOf("&pageSize=1&about=p1"), newest.slice(1));
    assert.deepEqual(await idsOf("&pageSize=1&about=p1&event=a.*,b.*"), ["evt_b.exact_1"]);
    assert.deepEqual(await readBack(`/api/${tenantId}/events?order=desc&since=2026-03-04`), []);
  });

  it("200: goes no further back than the time, however much happened before", async () => {
    const tenantId = await newTenant();
    await happen(tenantId, "pass.updated", { times: LOOKED_AT_MAX + 1_000 });
    await happen(tenantId, "pass.created", { times: 2, at: "2026-03-09T09:00:00Z" });
    const path = `/api/${tenantId}/events?order=desc&event=pass.created&pageSize=2`;
    const { status, body, headers } = await api.get(`${path}&since=2026-03-08`, { key });
    assert.deepEqual([status, body.length, headers.get("link")], [200, 2, null]);
    await api.sql("analyze event");
    // With these few events, a server may find that reading all of them takes as little time.
    await api.sql("set enable_seqscan = off; set enable_bitmapscan = off");
    const plan = await planOf(
      `tenant_id = $1 and (xact, sequence) < ('9000000', 0) and (xact, sequence) > ('700', 0)
         and (occurred_at >= '2026-03-08') is true order by xact desc, sequence desc limit 20`,
      tenantId,
    );
    await api.sql("reset enable_seqscan; reset enable_bitmapscan");
    assert.match(plan, /event_feed.*Index Cond: .*ROW\(xact, sequence\) >/s);
    assert.doesNotMatch(plan, /Sort|event_time/);
  });

  it("200: about one pass or customer alone, found by an index however much else happens", async () => {
    const tenantId = await newTenant();
    await happen(tenantId, "pass.created", { times: 3 });
    await api.sql("update event set subject = 'p1' where tenant_id = $1 and id like '%\\_2'", [
      tenantId,
    ]);
    await happen(tenantId, "pass.updated", { times: 2_000 });
    await api.sql("update event set subject = 'p1' where tenant_id = $1 and id = $2", [
      tenantId,
      "evt_pass.updated_7",
    ]);
    const path = `/api/${tenantId}/events?order=desc&about=p1`;
    const ids = (await readBack(`${path}&pageSize=1`)).map(({ id }) => id);
    assert.deepEqual(ids, ["evt_pass.updated_7", "evt_pass.created_2"]);
    assert.deepEqual(await readBack(`/api/${tenantId}/events?order=desc&about=p2`), []);
    await readSoon(`/api/${tenantId}/events?about=p1`, 2);
    const forwards = await readAll(`/api/${tenantId}/events?about=p1&pageSize=1`);
    assert.deepEqual(
      forwards.map(({ id }) => id),
      ids.toReversed(),
    );
    await api.sql("analyze event");
    const [newest, about] = await Promise.all([
      planOf("tenant_id = $1 order by xact desc, sequence desc limit 20", tenantId),
      planOf("tenant_id = $1 and subject = 'p1'", tenantId),
    ]);
    assert.doesNotMatch(newest, /Seq Scan/);
    assert.match(about, /event_subject/);
  });

  it("400: the cursor of another tenant; and no cursor tells how much happens in the installation", async () => {
    const [tenantId, other] = [await newTenant(), await newTenant()];
    await happen(tenantId, "pass.created");
    const { next } = await readSoon(`/api/${tenantId}/events`, 1);
    const cursor = /cursor=([\w-]+)/.exec(next)?.[1] ?? "";
    const foreign = await api.get(`/api/${other}/events?cursor=${cursor}`, { key });
    assert.deepEqual([foreign.status, Object.keys(foreign.body.errors)], [400, ["cursor"]]);
    const [row] = await api.sql(
      "select xact::text, sequence::text from event where tenant_id = $1 order by sequence desc",
      [tenantId],
    );
    const bytes = Buffer.from(cursor, "base64url");
    for (const number of [String(row?.xact), String(row?.sequence)]) {
      const wide = Buffer.alloc(8);
      wide.writeBigUInt64BE(BigInt(number));
      assert.ok(!bytes.includes(wide.subarray(5)), `${number} is in ${cursor}`);
      assert.ok(!bytes.includes(number.padStart(3, "0")), `${number} is in ${cursor}`);
    }
    assert.equal((await read(next)).next, next, "the same place has the same cursor");
  });

  it("400: names the parameter that is wrong", async () => {
    const tenantId = await newTenant();
    const path = `/api/${tenantId}/events`;
    const cursor = /cursor=([\w-]+)/.exec((await read(path)).next)?.[1] ?? "";
    for (const [query, field] of [
      ["cursor=nonsense", "cursor"],
      [`cursor=${cursor}x`, "cursor"],
      ["cursor=", "cursor"],
      ["pageSize=0", "pageSize"],
      ["pageSize=501", "pageSize"],
      ["pageSize=many", "pageSize"],
      ["event=a**", "event"],
      ["event=pass.*,", "event"],
      ["event=a&event=(", "event"],
      [`event=${Array(51).fill("a").join(",")}`, "event"],
      ["since=yesterday", "since"],
      ["since=2026-02-30", "since"],
      [`since=2026-02-20&cursor=${cursor}`, "since"],
      ["pageIndex=1", "pageIndex"],
      ["order=newest", "order"],
      ["order=desc&since=2026-02-30", "since"],
      [`order=asc&since=2026-02-20&cursor=${cursor}`, "since"],
      ["order=desc&about=", "about"],
      ["order=desc&cursor=nonsense", "cursor"],
    ] as const) {
      const { status, body } = await api.get(`${path}?${query}`, { key });
      assert.equal(status, 400, query);
      assert.deepEqual(Object.keys(body.errors), [field], query);
    }
  });

  it("200, 401, 403: for keys that may read webhooks, of this tenant", async () => {
    const [tenantId, other] = [await newTenant(), await newTenant()];
    await happen(other, "pass.created", { data: '{"mark": "of-the-other"}' });
    const path = `/api/${tenantId}/events`;
    const reader = await api.seed.key(tenantId, "Webhook.Read");
    assert.equal((await api.get(path, { key: reader })).status, 200);
    assert.equal((await api.get(path)).status, 401);
    const weak = await api.seed.key(tenantId, "Webhook.Write");
    assert.equal((await api.get(path, { key: weak })).status, 403);
    assert.equal((await api.get(`/api/${other}/events`, { key: reader })).status, 401);
    assert.ok(!(await read(path)).text.includes("of-the-other"));
  });
});
