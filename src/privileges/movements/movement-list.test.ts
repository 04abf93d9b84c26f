import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { listWords } from "#test/support/list-words.ts";
import { openPrivilegeStage } from "#test/support/privilege-stage.ts";
import { startApi } from "#test/support/start-api.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => NOW } });
const key = api.operatorKey;

let tenants = 0;

/** A tenant of its own, because the list has everything that happened in it. */
async function openTenant() {
  tenants += 1;
  const tenantId = `ledger-${tenants}`;
  const stage = await openPrivilegeStage(api, tenantId);
  const path = `/api/${tenantId}/movements`;
  const read = async (
    filters: Parameters<typeof listWords>[0] = [],
    sorts: Parameters<typeof listWords>[1] = [],
  ) => {
    const query = new URLSearchParams(listWords(filters, sorts));
    const { status, body, headers, text } = await api.get(`${path}?${query}`, { key });
    assert.equal(status, 200, text);
    return { items: body as Listed[], total: headers.get("x-pagination-total") };
  };
  return { ...stage, path, read };
}

type Listed = { passId: string; privilegeId: string; reference: string | null; movementId: string };

const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();
const referencesOf = (items: readonly Listed[]) => items.map(({ reference }) => reference);

/** Two passes with what was redeemed from them, told in another order than it happened. */
async function openShop() {
  const shop = await openTenant();
  const [ada, ben] = [await shop.pass(), await shop.pass()];
  await ada.having({ privilegeId: "coffee", type: "MultiUse" });
  await ada.having({ privilegeId: "tea", type: "MultiUse" });
  await ben.having({ privilegeId: "coffee", type: "MultiUse" });
  for (const [pass, privilegeId, value, hour, reference] of [
    [ada, "coffee", 5, 7, "a"],
    [ben, "coffee", 5, 6, "b"],
    [ben, "coffee", -1, 11, "c"],
    [ada, "coffee", -2, 9, "d"],
    [ada, "tea", 3, 10, "e"],
  ] as const) {
    const sent = { value, reference, occurredAt: at(hour) };
    const { status, text } = await pass.move(privilegeId, sent);
    assert.equal(status, 201, text);
  }
  return { ...shop, ada, ben };
}

describe("GET /api/:tenantId/movements (movement.list-all)", () => {
  it("200: of every privilege of every pass, the newest first by when they happened", async () => {
    const { read, ben } = await openShop();
    const { items, total } = await read();
    assert.deepEqual([referencesOf(items), total], [["c", "e", "d", "a", "b"], "5"]);
    const [newest] = (await ben.movements("coffee")).body;
    assert.deepEqual(items[0], { passId: ben.id, ...newest });
  });

  it("200: in pages by cursor, also where many happened at the same time", async () => {
    const { pass: newPass, path } = await openTenant();
    const pass = await newPass();
    await pass.having({ privilegeId: "coffee", type: "MultiUse" });
    for (let count = 0; count < 7; count += 1) await pass.move("coffee", { value: 1 });
    const seen: string[] = [];
    for (let next: string | undefined = `${path}?pageSize=2`; next !== undefined; ) {
      const { body, headers } = await api.get(next, { key });
      seen.push(...(body as Listed[]).map(({ movementId }) => movementId));
      next = /<([^>]+)>/.exec(headers.get("link") ?? "")?.[1];
    }
    assert.equal(seen.length, 7);
    assert.deepEqual(seen, [...new Set(seen)].sort().toReversed());
  });

  it("200: filtered by any of its fields, and sorted by time", async () => {
    const { read, ada, ben } = await openShop();
    const found = async (...filters: Parameters<typeof listWords>[0]) =>
      referencesOf((await read(filters)).items).join("");
    assert.equal(await found(["type", "equals", "redemption"]), "cd");
    assert.equal(
      await found(["type", "equals", "redemption"], ["occurredAt", "greaterThan", at(9)]),
      "c",
    );
    assert.equal(await found(["passId", "equals", ada.id]), "eda");
    assert.equal(await found(["privilegeId", "equals", "tea"]), "e");
    assert.equal(await found(["reference", "startsWith", "b"]), "b");
    assert.equal(await found(["createdAt", "lessThan", at(1)]), "");
    const [newest] = (await ben.movements("coffee")).body;
    assert.equal(await found(["movementId", "equals", newest.movementId]), "c");
    const sorted = await read([], [["occurredAt", "ASC"]]);
    assert.equal(referencesOf(sorted.items).join(""), "badec");
  });

  it("200: stays when a privilege is deleted, and goes with its pass", async () => {
    const { read, ada, ben, tenantId } = await openShop();
    assert.ok((await ada.delete("tea")).status < 300);
    const left = await read([["privilegeId", "equals", "tea"]]);
    assert.equal(left.items.length, 2, "what was given, and what was taken with the privilege");
    assert.ok((await api.delete(`/api/${tenantId}/passes/${ada.id}`, { key })).status < 300);
    const { items } = await read();
    assert.deepEqual(referencesOf(items), ["c", "b"]);
    assert.ok(items.every(({ passId }) => passId === ben.id));
  });

  it("200: reads the newest by an index, and no further", async () => {
    const { tenantId } = await openShop();
    await api.sql(
      `insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value,
                             occurred_at, created_at)
       select $1, 'ps_many', 'coffee', n, 'mv_' || n, 'issuance', 1,
              timestamptz '2025-01-01' + n * interval '1 minute', now()
         from generate_series(1, 3000) as n`,
      [tenantId],
    );
    await api.sql("analyze movement");
    const rows = await api.sql(
      `explain select id from movement where tenant_id = $1 and type = 'redemption'
          and occurred_at > '2026-01-01' order by occurred_at desc, id desc limit 20`,
      [tenantId],
    );
    const plan = rows.map((row) => Object.values(row)[0]).join("\n");
    assert.match(plan, /movement_time.*Index Cond: .*occurred_at >/s);
    assert.doesNotMatch(plan, /Sort/);
  });

  it("400: what is no field, no type of movement, or no parameter", async () => {
    const { path } = await openTenant();
    for (const [words, field] of [
      [listWords([["value", "equals", "1"]]), "filter[0].field"],
      [listWords([["type", "equals", "gift"]]), "filter[0].value"],
      [listWords([], [["reference", "ASC"]]), "sortBy[0].field"],
      [{ pageSize: "501" }, "pageSize"],
      [{ passId: "ps_1" }, "passId"],
    ] as const) {
      const { status, body } = await api.get(`${path}?${new URLSearchParams(words)}`, { key });
      assert.deepEqual([status, Object.keys(body.errors)], [400, [field]]);
    }
  });

  it("200, 401, 403, 404: for keys that may read passes, of this tenant", async () => {
    const [shop, other] = [await openShop(), await openTenant()];
    const reader = await api.seed.key(other.tenantId, "Pass.Read");
    const own = await api.get(other.path, { key: reader });
    assert.deepEqual([own.status, own.body], [200, []]);
    assert.equal((await api.get(shop.path, { key: reader })).status, 401);
    assert.equal((await api.get(shop.path)).status, 401);
    const weak = await api.seed.key(other.tenantId, "Pass.Write");
    assert.equal((await api.get(other.path, { key: weak })).status, 403);
    assert.equal((await api.get("/api/nowhere/movements", { key })).status, 404);
  });
});
