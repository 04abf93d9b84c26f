import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { compileSql, sql } from "#kernel/db/sql.ts";
import type { Hook } from "#test/support/factories.ts";
import { listWords } from "#test/support/list-words.ts";
import { startApi } from "#test/support/start-api.ts";
import { createStage } from "#test/support/webhook-stage.ts";
import { purgeDeliveries } from "./delivery.jobs.ts";
import { ofLivingWebhooks } from "./delivery-list.repository.ts";

// Nobody sends, so that each delivery stays as the test leaves it.
const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
const { happen, subscribe } = createStage(api);

type Listed = { id: string; webhookId: string; state: string };

let tenants = 0;

/** A tenant of its own, because the list has everything that its webhooks are owed. */
async function openTenant() {
  tenants += 1;
  const tenantId = `post-${tenants}`;
  await api.seed.tenant(tenantId);
  const path = `/api/${tenantId}/deliveries`;
  const read = async (
    filters: Parameters<typeof listWords>[0] = [],
    sorts: Parameters<typeof listWords>[1] = [],
  ) => {
    const query = new URLSearchParams(listWords(filters, sorts));
    const { status, body, headers, text } = await api.get(`${path}?${query}`, { key });
    assert.equal(status, 200, text);
    return { items: body as Listed[], total: headers.get("x-pagination-total") };
  };
  return { tenantId, path, read };
}

/** Some webhooks that all get the same events; `pairs` is what the list has, the newest first. */
async function openHooks({ webhooks = 2, events = 2 } = {}) {
  const tenant = await openTenant();
  const hooks: Hook[] = [];
  for (let count = 0; count < webhooks; count += 1) {
    hooks.push(await subscribe(tenant.tenantId, `http://localhost:9999/hook-${count}`));
  }
  const [first] = hooks;
  assert.ok(first !== undefined);
  const ids = await happen(first, events);
  // In the order of the database, which may sort letters in another way than JavaScript.
  const ordered = await api.sql("select id from webhook where tenant_id = $1 order by id", [
    tenant.tenantId,
  ]);
  const pairs = ids
    .toSorted()
    .flatMap((id) => ordered.map((webhook) => `${id} ${webhook.id}`))
    .toReversed();
  return { ...tenant, hooks, first, ids, pairs };
}

const pairOf = ({ id, webhookId }: Listed): string => `${id} ${webhookId}`;

async function walk(path: string): Promise<string[]> {
  const seen: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers, text } = await api.get(next, { key });
    assert.ok(Array.isArray(body), text);
    seen.push(...body.map(pairOf));
    next = /<([^>]+)>/.exec(headers.get("link") ?? "")?.[1];
  }
  return seen;
}

describe("GET /api/:tenantId/deliveries (delivery.list-all)", () => {
  it("200: of every webhook, the newest event first, each as in the list of its webhook", async () => {
    const { read, hooks, pairs } = await openHooks();
    const { items, total } = await read();
    assert.deepEqual([items.map(pairOf), total], [pairs, "4"]);
    for (const { id, path } of hooks) {
      const own = (await api.get(`${path}/deliveries`, { key })).body as object[];
      assert.deepEqual(
        items.filter(({ webhookId }) => webhookId === id),
        own.map((delivery) => ({ webhookId: id, ...delivery })),
      );
    }
  });

  it("200: in pages by cursor that end between the deliveries of one event, in either order", async () => {
    const { path, pairs } = await openHooks({ webhooks: 3, events: 3 });
    assert.deepEqual(await walk(`${path}?pageSize=2`), pairs);
    const upwards = new URLSearchParams(listWords([], [["id", "ASC"]]));
    assert.deepEqual(await walk(`${path}?pageSize=2&${upwards}`), pairs.toReversed());
  });

  it("200: filtered by webhook, state, event and time", async () => {
    const { tenantId, read, first, ids, pairs } = await openHooks({ events: 4 });
    const changes = [
      "state = 'delivered', finished_at = now(), last_status = 200",
      "state = 'failed', finished_at = now(), attempt_count = 10, last_status = 500",
      "is_retry = true",
      "created_at = now() - interval '2 days'",
    ];
    for (const [at, change] of changes.entries()) {
      await api.sql(
        `update delivery set ${change} where tenant_id = $1 and webhook_id = $2 and event_id = $3`,
        [tenantId, first.id, ids[at] ?? ""],
      );
    }
    const own = (at: number) => `${ids[at]} ${first.id}`;
    const found = async (...filters: Parameters<typeof listWords>[0]) => {
      const { items, total } = await read(filters);
      assert.equal(total, String(items.length));
      return items.map(pairOf);
    };
    assert.deepEqual(await found(["state", "equals", "delivered"]), [own(0)]);
    assert.deepEqual(await found(["state", "equals", "failed"]), [own(1)]);
    assert.deepEqual(await found(["state", "equals", "retrying"]), [own(2)]);
    assert.equal((await found(["state", "equals", "pending"])).length, 5);
    assert.equal((await found(["state", "notEquals", "pending"])).length, 3);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    assert.deepEqual(
      await found(["createdAt", "greaterThan", yesterday]),
      pairs.filter((pair) => pair !== own(3)),
    );
    assert.deepEqual(
      await found(["state", "equals", "failed"], ["createdAt", "greaterThan", yesterday]),
      [own(1)],
    );
    assert.deepEqual(
      await found(["webhookId", "equals", first.id]),
      pairs.filter((pair) => pair.endsWith(first.id)),
    );
    assert.deepEqual(
      await found(["id", "equals", ids[2] ?? ""]),
      pairs.filter((pair) => pair.startsWith(ids[2] ?? "")),
    );
    assert.equal((await found(["event", "startsWith", "api-key."])).length, 8);
    assert.equal((await found(["event", "contains", "key.cre"])).length, 8);
    assert.deepEqual(await found(["event", "contains", "key%cre"]), []);
    assert.deepEqual(await found(["event", "equals", "pass.created"]), []);
    assert.deepEqual(await found(["lastStatus", "equals", "500"]), [own(1)]);
  });

  it("200: without those of a deleted webhook, before and after they are purged", async () => {
    const { read, tenantId, first, pairs } = await openHooks();
    assert.ok((await api.delete(first.path, { key })).status < 300);
    const left = pairs.filter((pair) => !pair.endsWith(first.id));
    const { items, total } = await read();
    assert.deepEqual([items.map(pairOf), total], [left, "2"]);
    await purgeDeliveries.run(
      systemCall(api.runtime, purgeDeliveries.name),
      {},
      AbortSignal.timeout(60_000),
    );
    const stored = await api.sql(
      "select webhook_id from delivery where tenant_id = $1 and webhook_id = $2",
      [tenantId, first.id],
    );
    assert.deepEqual(stored, []);
    assert.deepEqual((await read()).items.map(pairOf), left);
  });

  it("200: reads the newest by an index and no further, and what failed by its own", async () => {
    const { tenantId, first } = await openHooks();
    await api.sql(
      `insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
       select $1, $2, 'evt_' || n, 'pass.created',
              case when n % 100 = 0 then 'failed' else 'delivered' end, now(), now()
         from generate_series(1, 3000) as n`,
      [tenantId, first.id],
    );
    await api.sql("analyze delivery");
    const planOf = async (condition: string) => {
      const { text, values } = compileSql(sql`
        explain select event_id from delivery
         where ${ofLivingWebhooks(tenantId)} and ${sql.raw(condition)}
         order by event_id desc, webhook_id desc limit 20`);
      const rows = await api.sql(text, [...values]);
      return rows.map((row) => Object.values(row)[0]).join("\n");
    };
    const newest = await planOf("(event_id, webhook_id) < ('evt_8', 'zzzzz')");
    assert.match(newest, /delivery_event.*Index Cond: .*ROW\(/s);
    assert.doesNotMatch(newest, /Sort/);
    const failed = await planOf("state = 'failed'");
    assert.match(failed, /delivery_failed/);
    assert.doesNotMatch(failed, /Sort/);
  });

  it("400: what is no field, no state, no order, or no parameter", async () => {
    const { path } = await openTenant();
    for (const [words, field] of [
      [listWords([["attempts", "exists", "true"]]), "filter[0].field"],
      [listWords([["state", "equals", "lost"]]), "filter[0].value"],
      [listWords([], [["webhookId", "ASC"]]), "sortBy[0].field"],
      [{ pageSize: "501" }, "pageSize"],
      [{ webhookId: "k7Qz2" }, "webhookId"],
    ] as const) {
      const { status, body } = await api.get(`${path}?${new URLSearchParams(words)}`, { key });
      assert.deepEqual([status, Object.keys(body.errors)], [400, [field]]);
    }
  });

  it("200, 401, 403, 404: for keys that may read webhooks, of this tenant", async () => {
    const [post, other] = [await openHooks(), await openTenant()];
    const reader = await api.seed.key(other.tenantId, "Webhook.Read");
    const own = await api.get(other.path, { key: reader });
    assert.deepEqual([own.status, own.body], [200, []]);
    assert.equal((await api.get(post.path, { key: reader })).status, 401);
    assert.equal((await api.get(post.path)).status, 401);
    const weak = await api.seed.key(other.tenantId, "Webhook.Write");
    assert.equal((await api.get(other.path, { key: weak })).status, 403);
    assert.equal((await api.get("/api/nowhere/deliveries", { key })).status, 404);
  });
});
