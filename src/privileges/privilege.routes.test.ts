import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openPrivilegeStage, refusal } from "#test/support/privilege-stage.ts";
import { startApi } from "#test/support/start-api.ts";
import { PRIVILEGES_PER_PASS_MAX } from "./privilege.errors.ts";

/*
 * privilege.list, privilege.get, privilege.create, privilege.put, privilege.delete, and the same by an
 * identifier: privilege.list-by-identifier, privilege.get-by-identifier, privilege.create-by-identifier,
 * privilege.put-by-identifier, privilege.delete-by-identifier
 */

let now = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => now } });
const key = api.operatorKey;
const stage = await openPrivilegeStage(api, "acme");
const rivals = await openPrivilegeStage(api, "rival");
const COFFEE = { privilegeId: "coffee", name: "Coffee", type: "MultiUse", value: 10, maximum: 12 };

describe("POST /api/:tenantId/passes/:passId/privileges", () => {
  it("201: the record with its defaults, where to find it, its version and its events", async () => {
    const pass = await stage.pass();
    const { status, body, headers } = await pass.create(COFFEE);
    assert.equal(status, 201);
    assert.equal(headers.get("location"), `${pass.base}/coffee`);
    assert.deepEqual(body, {
      ...COFFEE,
      minimum: 0,
      unit: null,
      status: "available",
      validFrom: null,
      validUntil: null,
      metadata: {},
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      version: 1,
    });
    const found = await pass.get("coffee");
    assert.deepEqual(found.body, body);
    assert.equal(found.headers.get("etag"), headers.get("etag"));
    const [created, moved] = await pass.events();
    assert.deepEqual(
      [created?.name, created?.data],
      ["privilege.created", { passId: pass.id, ...body }],
    );
    assert.equal(moved?.name, "privilege.moved");
    assert.equal(moved?.data.value, 10);
  });

  it("201: without a name it has its id, Unlockable begins locked, and 0 is no movement", async () => {
    const pass = await stage.pass();
    const { body } = await pass.create({ privilegeId: "a.b-c_d", type: "Unlockable", value: 0 });
    assert.deepEqual([body.name, body.status, body.value], ["a.b-c_d", "locked", 0]);
    assert.deepEqual(await pass.eventNames(), ["privilege.created"]);
  });

  it("409: an id that the pass has already", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    assert.deepEqual(refusal(await pass.create(COFFEE)), [409, "privilege.exists"]);
  });

  it("409: more than a pass may have", async () => {
    const pass = await stage.pass();
    await api.sql(
      `insert into privilege (tenant_id, pass_id, id, name, type, status, created_at, updated_at)
       select 'acme', $1, 'p' || n, 'x', 'MultiUse', 'available', now(), now()
         from generate_series(2, $2::int) as n`,
      [pass.id, PRIVILEGES_PER_PASS_MAX],
    );
    assert.deepEqual(refusal(await pass.create(COFFEE)), [409, "privilege.too-many"]);
    assert.equal((await pass.create(COFFEE)).status, 409);
    const { body } = await api.get(pass.base, { key });
    assert.equal(body.length, PRIVILEGES_PER_PASS_MAX);
  });

  it("400: each bad member is named", async () => {
    const pass = await stage.pass();
    const bad: [object, string][] = [
      [{ privilegeId: "a b" }, "privilegeId"],
      [{ privilegeId: "x".repeat(65) }, "privilegeId"],
      [{ type: "Sometimes" }, "type"],
      [{ value: 13 }, "value"],
      [{ value: -1 }, "value"],
      [{ value: true }, "value"],
      [{ minimum: 5, maximum: 4, value: null }, "maximum"],
      [{ minimum: 5, value: null }, "minimum"],
      [{ minimum: 5, value: null, type: "Unlockable" }, "minimum"],
      [{ minimum: -10, maximum: -5, value: null }, "maximum"],
      [{ minimum: null }, "minimum"],
      [{ type: "OneTime", value: 2 }, "value"],
      [{ validFrom: "2026-02-30T00:00:00Z" }, "validFrom"],
      [{ validFrom: "2026-05-01T00:00:00Z", validUntil: "2026-05-01T00:00:00Z" }, "validUntil"],
      [{ metadata: { note: "x".repeat(9_000) } }, "metadata"],
      [{ sequence: 3 }, "sequence"],
    ];
    for (const [change, field] of bad) {
      const { status, body, text } = await pass.create({ ...COFFEE, ...change });
      assert.equal(status, 400, text);
      assert.deepEqual(Object.keys(body.errors), [field], text);
    }
    assert.deepEqual(await pass.eventNames(), []);
  });
});

describe("GET /api/:tenantId/passes/:passId/privileges", () => {
  it("200: all of them in the order of their ids; in pages if asked", async () => {
    const pass = await stage.pass();
    for (const privilegeId of ["zebra", "apple"]) {
      await pass.having({ privilegeId, type: "Unlimited" });
    }
    const { body } = await api.get(pass.base, { key });
    const ids = body.map(({ privilegeId }: { privilegeId: string }) => privilegeId);
    assert.deepEqual(ids, ["apple", "points", "zebra"]);
    const page = await api.get(`${pass.base}?pageSize=1&pageIndex=1`, { key });
    assert.deepEqual(
      [page.body[0].privilegeId, page.headers.get("x-pagination-total")],
      ["points", "3"],
    );
    const { body: expanded } = await api.get(`/api/acme/passes/${pass.id}?expand=privileges`, {
      key,
    });
    assert.deepEqual(expanded.privileges, body);
  });

  it("200: expired is told by the clock, in the record, the list and the version", async () => {
    const pass = await stage.pass();
    const before = now;
    await pass.having({ ...COFFEE, validUntil: "2026-03-02T00:00:00Z" });
    const fresh = await pass.get("coffee");
    assert.equal(fresh.body.status, "available");
    try {
      now = new Date("2026-03-02T00:00:00.000Z");
      const over = await pass.get("coffee");
      assert.equal(over.body.status, "expired");
      assert.notEqual(over.headers.get("etag"), fresh.headers.get("etag"));
      const stays = await pass.put("coffee", { ...COFFEE, status: "expired", validUntil: null });
      assert.equal(stays.body.status, "available");
    } finally {
      now = before;
    }
  });

  it("404: neither a pass nor a privilege that is not there, nor those of another tenant", async () => {
    const [pass, theirs] = [await stage.pass(), await rivals.pass()];
    await theirs.having(COFFEE);
    assert.deepEqual(refusal(await pass.get("tea")), [404, "privilege.not-found"]);
    for (const id of ["ps_nobody", theirs.id]) {
      const base = `/api/acme/passes/${id}/privileges`;
      const calls = [
        api.get(base, { key }),
        api.get(`${base}/coffee`, { key }),
        api.post(base, { key, body: COFFEE }),
        api.put(`${base}/coffee`, { key, body: COFFEE }),
        api.delete(`${base}/coffee`, { key }),
        api.get(`${base}/coffee/movements`, { key }),
        api.post(`${base}/coffee/movements`, { key, body: { value: -1 } }),
        api.get(`${base}/coffee/statement.csv`, { key }),
      ];
      for (const answer of await Promise.all(calls)) {
        assert.deepEqual(refusal(answer), [404, "pass.not-found"]);
      }
    }
    assert.equal(await theirs.value("coffee"), 10);
  });
});

describe("PUT /api/:tenantId/passes/:passId/privileges/:privilegeId", () => {
  it("201, then 200: creates, then replaces the terms and keeps value and status", async () => {
    const pass = await stage.pass();
    const made = await pass.put("coffee", { ...COFFEE, unit: "cup", status: "locked" });
    assert.deepEqual([made.status, made.headers.get("location")], [201, `${pass.base}/coffee`]);
    const { status, body } = await pass.put("coffee", { type: "MultiUse", name: "Kaffee" });
    assert.equal(status, 200);
    const { value, unit, maximum, name, version } = body;
    assert.deepEqual([value, unit, maximum, name, version], [10, null, null, "Kaffee", 2]);
    assert.equal(body.status, "locked");
    const told = await pass.events();
    assert.deepEqual(
      told.map(({ name: event }) => event),
      ["privilege.created", "privilege.moved", "privilege.updated"],
    );
    assert.deepEqual(told[2]?.data, { passId: pass.id, ...body });
  });

  it("200: a changed value is an adjustment in the ledger, and null takes all", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    const { body } = await pass.put("coffee", { ...COFFEE, value: 7.5 });
    assert.deepEqual([body.value, body.version], [7.5, 2]);
    assert.equal((await pass.put("coffee", { ...COFFEE, value: null })).body.value, null);
    const { body: ledger } = await pass.movements("coffee");
    assert.deepEqual(
      ledger.map((one: Record<string, unknown>) => [one.type, one.value, one.valueAfter]),
      [
        ["adjustment", -7.5, null],
        ["adjustment", -2.5, 7.5],
        ["issuance", 10, 10],
      ],
    );
    assert.deepEqual((await pass.eventNames()).slice(2), ["privilege.moved", "privilege.moved"]);
  });

  it("200: the audit trail has the numbers of privileges as it has those of movements", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    await pass.put("coffee", { ...COFFEE, value: 9.5 });
    await pass.move("coffee", { value: -1 });
    const rows = await api.sql(
      `select op, before -> 'value' as before, after -> 'value' as after from audit
        where target = $1 order by op`,
      [`privilege:${pass.id}/coffee`],
    );
    assert.deepEqual(rows, [
      { op: "movement.create", before: null, after: -1 },
      { op: "privilege.create", before: null, after: 10 },
      { op: "privilege.put", before: 10, after: 9.5 },
    ]);
  });

  it("200: what changes nothing makes no version and no event", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    const { status, body } = await pass.put("coffee", COFFEE);
    assert.deepEqual([status, body.version], [200, 1]);
    assert.equal((await pass.eventNames()).length, 2);
  });

  it("200: a privilege that only recorded begins to count with a right sum", async () => {
    const pass = await stage.pass();
    await pass.having({ privilegeId: "entry", type: "Unlimited" });
    for (const value of [-1, -1]) assert.equal((await pass.move("entry", { value })).status, 201);
    assert.equal(await pass.value("entry"), null);
    await pass.put("entry", { type: "MultiUse" });
    const { body } = await pass.move("entry", { value: 4 });
    assert.deepEqual([body.valueBefore, body.valueAfter], [0, 4]);
    const { body: ledger } = await pass.movements("entry");
    const sum = ledger.reduce((total: number, { value }: { value: number }) => total + value, 0);
    assert.equal(sum, 4);
  });

  it("409: bounds that the value breaks; 400: a value out of its own bounds, another id", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    const refused = await pass.put("coffee", { type: "MultiUse", maximum: 9 });
    assert.deepEqual(refusal(refused), [409, "privilege.value-exceeds-maximum"]);
    const low = await pass.put("coffee", { type: "MultiUse", minimum: 11 });
    assert.deepEqual(refusal(low), [409, "privilege.insufficient-value"]);
    const { body } = await pass.put("coffee", { ...COFFEE, value: 13 });
    assert.deepEqual(Object.keys(body.errors), ["value"]);
    const { body: other } = await pass.put("tea", COFFEE);
    assert.deepEqual(Object.keys(other.errors), ["privilegeId"]);
    assert.equal(await pass.value("coffee"), 10);
  });

  it("400: bounds without 0 for a privilege that begins there, whichever way it comes to have no value", async () => {
    const pass = await stage.pass();
    await pass.having({ privilegeId: "coffee", type: "MultiUse" });
    const narrow = { type: "MultiUse", minimum: 5, maximum: 12 };
    const fields = async (body: object) =>
      Object.keys((await pass.put("coffee", body)).body.errors ?? {});
    assert.deepEqual(await fields(narrow), ["minimum"]);
    assert.deepEqual(await fields({ ...narrow, minimum: -9, maximum: -1 }), ["maximum"]);
    assert.deepEqual(await fields({ ...narrow, value: 7 }), []);
    assert.deepEqual(await fields({ ...narrow, value: null }), ["minimum"]);
    assert.deepEqual(await fields({ ...narrow, type: "Unlimited", value: null }), []);
    assert.deepEqual(await fields(narrow), ["minimum"]);
    assert.equal(await pass.value("coffee"), null);
  });

  it("412: for a version that a movement has replaced, and for one that is not there", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    const { headers } = await pass.get("coffee");
    const old = { headers: { "if-match": headers.get("etag") ?? "" } };
    await pass.move("coffee", { value: -1 });
    assert.equal((await pass.put("coffee", { ...COFFEE, value: 10 }, old)).status, 412);
    assert.equal((await pass.delete("coffee", old)).status, 412);
    assert.equal((await pass.put("tea", { type: "MultiUse" }, old)).status, 412);
    const current = {
      headers: { "if-match": (await pass.get("coffee")).headers.get("etag") ?? "" },
    };
    assert.equal((await pass.put("coffee", { ...COFFEE, value: 10 }, current)).status, 200);
  });
});

describe("DELETE /api/:tenantId/passes/:passId/privileges/:privilegeId", () => {
  it("204: its ledger stays readable, ends at nothing, and goes on if it is created anew", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    const { body: taken } = await pass.move("coffee", { value: -1 });
    const old = await pass.get("coffee");
    assert.equal((await pass.delete("coffee")).status, 204);
    assert.deepEqual(refusal(await pass.get("coffee")), [404, "privilege.not-found"]);
    assert.deepEqual(refusal(await pass.move("coffee", { value: 1 })), [
      404,
      "privilege.not-found",
    ]);
    assert.deepEqual(refusal(await pass.delete("coffee")), [404, "privilege.not-found"]);
    const events = await pass.events();
    assert.deepEqual(
      events.slice(-2).map(({ name, data }) => [name, data.value]),
      [
        ["privilege.moved", -9],
        ["privilege.deleted", 9],
      ],
    );
    await pass.having({ ...COFFEE, value: 3 });
    assert.notEqual((await pass.get("coffee")).headers.get("etag"), null);
    assert.equal((await pass.get("coffee")).body.version, old.body.version - 1);
    const { body: ledger } = await pass.movements("coffee");
    assert.deepEqual(
      ledger.map((one: Record<string, unknown>) => [one.sequence, one.value, one.valueAfter]),
      [
        [4, 3, 3],
        [3, -9, 0],
        [2, -1, 9],
        [1, 10, 10],
      ],
    );
    const again = await pass.reverse("coffee", taken.movementId);
    assert.deepEqual(refusal(again), [409, "movement.not-reversible"]);
  });
});

describe("by an identifier", () => {
  it("2xx: every operation finds the pass that alone has it, whatever characters it has", async () => {
    const value = "Ä/b c%?#&=+..";
    const pass = await stage.pass({ "shop.id": value });
    const base = `/api/acme/passes/by/shop.id/${encodeURIComponent(value)}/privileges`;
    const made = await api.post(base, { key, body: COFFEE });
    assert.deepEqual([made.status, made.headers.get("location")], [201, `${pass.base}/coffee`]);
    assert.equal((await api.get(base, { key })).body.length, 2);
    assert.equal((await api.get(`${base}/coffee`, { key })).body.value, 10);
    const moved = await api.post(`${base}/coffee/movements`, { key, body: { value: -1 } });
    assert.equal(moved.status, 201);
    const { movementId } = moved.body;
    assert.equal((await api.get(`${base}/coffee/movements/${movementId}`, { key })).status, 200);
    const undo = await api.post(`${base}/coffee/movements/${movementId}/reversal`, { key });
    assert.equal(undo.status, 201);
    assert.equal((await api.get(`${base}/coffee/movements`, { key })).body.length, 3);
    assert.match((await api.get(`${base}/coffee/statement.csv`, { key })).text, /^sequence,/);
    assert.equal((await api.put(`${base}/coffee`, { key, body: COFFEE })).status, 200);
    assert.equal((await api.delete(`${base}/coffee`, { key })).status, 204);
  });

  it("200: of several passes with it, the one for which it is unique", async () => {
    const card = await stage.pass({ "loyalty.number": "L-77" });
    const coupon = { identifiers: { "loyalty.number": "L-77" }, additionalData: { offer: "Tea" } };
    const other = await api.post("/api/acme/passes?passType=coupon", { key, body: coupon });
    assert.equal(other.status, 201, other.text);
    await card.having(COFFEE);
    const { body } = await api.get("/api/acme/passes/by/loyalty.number/L-77/privileges", { key });
    const ids = body.map(({ privilegeId }: { privilegeId: string }) => privilegeId);
    assert.deepEqual(ids.sort(), ["coffee", "points"]);
  });

  it("409: one that several passes have; 404: one that none has, or a pass of another tenant", async () => {
    for (const _pass of [1, 2]) await stage.pass({ "shop.id": "twins" });
    await rivals.pass({ "shop.id": "theirs" });
    const of = (value: string) =>
      api.get(`/api/acme/passes/by/shop.id/${value}/privileges`, { key });
    const twins = await of("twins");
    assert.deepEqual(refusal(twins), [409, "pass.identifier-ambiguous"]);
    assert.equal(twins.body.identifier, "shop.id");
    for (const value of ["nobody", "theirs", "Twins", "twins%20"]) {
      assert.deepEqual(refusal(await of(value)), [404, "pass.not-found"]);
    }
    for (const path of ["shop.id/%00", "shopid/x", `shop.id/${"x".repeat(257)}`]) {
      const { status } = await api.get(`/api/acme/passes/by/${path}/privileges`, { key });
      assert.equal(status, 400, path);
    }
  });
});

describe("scopes", () => {
  it("403: Pass.Read reads and does not write", async () => {
    const pass = await stage.pass();
    await pass.having(COFFEE);
    const reader = await api.seed.key("acme", "Pass.Read");
    for (const path of ["", "/coffee", "/coffee/movements", "/coffee/statement.csv"]) {
      assert.equal((await api.get(`${pass.base}${path}`, { key: reader })).status, 200, path);
    }
    const calls = [
      api.post(pass.base, { key: reader, body: COFFEE }),
      api.put(`${pass.base}/coffee`, { key: reader, body: COFFEE }),
      api.post(`${pass.base}/coffee/movements`, { key: reader, body: { value: -1 } }),
      api.delete(`${pass.base}/coffee`, { key: reader }),
    ];
    for (const { status } of await Promise.all(calls)) assert.equal(status, 403);
  });
});
