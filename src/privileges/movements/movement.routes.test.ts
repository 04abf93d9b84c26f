import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openPrivilegeStage, refusal } from "#test/support/privilege-stage.ts";
import { startApi } from "#test/support/start-api.ts";

/*
 * movement.create, movement.list, movement.get, movement.reverse, movement.export, and the same by an
 * identifier: movement.create-by-identifier, movement.list-by-identifier, movement.get-by-identifier,
 * movement.reverse-by-identifier, movement.export-by-identifier
 */

let now = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => now } });
const key = api.operatorKey;
const stage = await openPrivilegeStage(api, "acme");

async function passWith(more: object = {}) {
  const pass = await stage.pass();
  await pass.having({ privilegeId: "coffee", type: "MultiUse", value: 10, maximum: 12, ...more });
  return pass;
}

describe("POST …/movements", () => {
  it("201: exactly what the ledger has now, with its place and one event", async () => {
    const pass = await passWith();
    const sent = { type: "redemption", amount: 2.5, expectedValue: 10, reference: "receipt-1" };
    const { status, body, headers } = await pass.move("coffee", sent);
    assert.equal(status, 201);
    const { movementId } = body;
    const location = `${pass.base}/coffee/movements/${movementId}`;
    assert.equal(headers.get("location"), location);
    assert.deepEqual(body, {
      movementId,
      privilegeId: "coffee",
      type: "redemption",
      value: -2.5,
      valueBefore: 10,
      valueAfter: 7.5,
      sequence: 2,
      createdAt: now.toISOString(),
      reason: null,
      reference: "receipt-1",
      metadata: {},
      occurredAt: now.toISOString(),
      reverses: null,
    });
    assert.deepEqual((await api.get(location, { key })).body, body);
    const { data, name } = (await pass.events()).at(-1) ?? { data: {}, name: "" };
    const { body: privilege } = await pass.get("coffee");
    assert.deepEqual([name, data], ["privilege.moved", { passId: pass.id, ...body, privilege }]);
    assert.deepEqual([privilege.value, privilege.version], [7.5, 2]);
  });

  it("201: the sign tells the type; an adjustment goes either way", async () => {
    const pass = await passWith();
    const kinds = [];
    for (const sent of [
      { value: 1 },
      { value: -1 },
      { type: "adjustment", value: -1 },
      { type: "adjustment", amount: -1 },
      { type: "adjustment", amount: 1 },
      { type: "issuance", amount: 1 },
      { type: "redemption", value: -1 },
    ]) {
      const { body } = await pass.move("coffee", sent);
      kinds.push([body.type, body.value]);
    }
    assert.deepEqual(kinds, [
      ["issuance", 1],
      ["redemption", -1],
      ["adjustment", -1],
      ["adjustment", -1],
      ["adjustment", 1],
      ["issuance", 1],
      ["redemption", -1],
    ]);
  });

  it("400: what is no movement, by field", async () => {
    const pass = await passWith();
    const bad: [object, string][] = [
      [{}, "value"],
      [{ type: "issuance" }, "amount"],
      [{ amount: 1 }, "type"],
      [{ value: 1, amount: 1, type: "issuance" }, "amount"],
      [{ value: 0 }, "value"],
      [{ value: null }, "value"],
      [{ type: "issuance", value: -1 }, "value"],
      [{ type: "redemption", value: 1 }, "value"],
      [{ type: "redemption", amount: -1 }, "amount"],
      [{ type: "issuance", amount: -1 }, "amount"],
      [{ value: 1, type: "gift" }, "type"],
      [{ value: 1, expectedValue: null }, "expectedValue"],
      [{ value: 1, occurredAt: "yesterday" }, "occurredAt"],
      [{ value: 1, reason: "" }, "reason"],
      [{ value: 1, reference: "x".repeat(201) }, "reference"],
      [{ value: 1, valueAfter: 3 }, "valueAfter"],
    ];
    for (const [sent, field] of bad) {
      const { status, body, text } = await pass.move("coffee", sent);
      assert.equal(status, 400, text);
      assert.deepEqual(Object.keys(body.errors), [field], text);
    }
    assert.equal(await pass.value("coffee"), 10);
  });

  it("409: below the minimum, above the maximum, another value than expected; nothing is written", async () => {
    const pass = await passWith();
    const low = await pass.move("coffee", { value: -10.0001 });
    assert.deepEqual(refusal(low), [409, "privilege.insufficient-value"]);
    assert.deepEqual([low.body.currentValue, low.body.minimum], [10, 0]);
    const high = await pass.move("coffee", { value: 3 });
    assert.deepEqual(refusal(high), [409, "privilege.value-exceeds-maximum"]);
    assert.equal(high.body.maximum, 12);
    const other = await pass.move("coffee", { value: 1, expectedValue: 9 });
    assert.deepEqual(refusal(other), [409, "privilege.expected-value-differs"]);
    assert.equal(other.body.currentValue, 10);
    assert.deepEqual((await pass.get("coffee")).body.version, 1);
    assert.equal((await pass.movements("coffee")).body.length, 1);
    assert.equal((await pass.eventNames()).length, 2);
    await pass.having({ privilegeId: "tea", type: "MultiUse" });
    const begun = await pass.move("tea", { value: 1, expectedValue: 9 });
    assert.equal(begun.body.currentValue, 0, "where a privilege without a value begins");
  });

  it("201, then 409: OneTime is used once, with or without a value; undone or issued anew it is not", async () => {
    for (const value of [1, null]) {
      const pass = await passWith({ type: "OneTime", value, maximum: null });
      const first = await pass.move("coffee", { value: -1 });
      assert.deepEqual([first.status, first.body.valueAfter], [201, value === null ? null : 0]);
      assert.equal((await pass.get("coffee")).body.status, "used");
      const second = await pass.move("coffee", { value: -1 });
      assert.deepEqual(refusal(second), [409, "privilege.already-redeemed"]);
      await pass.reverse("coffee", first.body.movementId);
      assert.equal((await pass.get("coffee")).body.status, "available");
      assert.equal((await pass.move("coffee", { value: -1 })).status, 201);
      assert.equal((await pass.move("coffee", { value: 1 })).status, 201);
      const { body } = await pass.get("coffee");
      assert.deepEqual([body.status, body.value], ["available", value]);
    }
  });

  it("201: Unlimited only records, whatever its bounds", async () => {
    const pass = await passWith({ type: "Unlimited", value: 0, minimum: 0, maximum: 0 });
    assert.equal((await pass.move("coffee", { value: -3 })).body.valueAfter, -3);
    assert.equal((await pass.move("coffee", { value: 5 })).body.valueAfter, 2);
  });

  it("409: Unlockable is locked until an issuance or a status unlocks it", async () => {
    const pass = await passWith({ type: "Unlockable" });
    const locked = [409, "privilege.locked"];
    assert.deepEqual(refusal(await pass.move("coffee", { value: -1 })), locked);
    assert.equal((await pass.move("coffee", { type: "adjustment", value: -1 })).status, 201);
    assert.deepEqual(refusal(await pass.move("coffee", { value: -1 })), locked);
    assert.equal((await pass.move("coffee", { value: 1 })).status, 201);
    assert.equal((await pass.move("coffee", { value: -1 })).status, 201);
    await pass.put("coffee", { type: "Unlockable", status: "locked" });
    assert.deepEqual(refusal(await pass.move("coffee", { value: -1 })), locked);
    await pass.put("coffee", { type: "Unlockable", status: "available" });
    assert.equal((await pass.move("coffee", { value: -1 })).status, 201);
  });

  it("409: a redemption before validFrom and from validUntil on; others are always possible", async () => {
    const pass = await passWith({
      validFrom: "2026-03-02T00:00:00Z",
      validUntil: "2026-03-03T00:00:00Z",
    });
    const before = now;
    try {
      const early = await pass.move("coffee", { value: -1 });
      assert.deepEqual(refusal(early), [409, "privilege.not-yet-valid"]);
      now = new Date("2026-03-02T00:00:00.000Z");
      assert.equal((await pass.move("coffee", { value: -1 })).status, 201);
      now = new Date("2026-03-03T00:00:00.000Z");
      const late = await pass.move("coffee", { value: -1 });
      assert.deepEqual(refusal(late), [409, "privilege.expired"]);
      const dated = await pass.move("coffee", {
        value: -1,
        occurredAt: "2026-03-02T23:59:59.999Z",
      });
      assert.deepEqual(refusal(dated), [409, "privilege.expired"]);
      assert.equal((await pass.move("coffee", { value: 1 })).status, 201);
      assert.equal((await pass.move("coffee", { type: "adjustment", value: -1 })).status, 201);
    } finally {
      now = before;
    }
  });

  it("201: keeps when it happened, never later than now; 400: more than five minutes ahead", async () => {
    const pass = await passWith();
    const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString();
    for (const [sent, kept] of [
      [-86_400, -86_400],
      [300, 0],
    ] as const) {
      const { status, body } = await pass.move("coffee", { value: -1, occurredAt: at(sent) });
      assert.deepEqual([status, body.occurredAt], [201, at(kept)]);
    }
    const { status, body } = await pass.move("coffee", { value: -1, occurredAt: at(301) });
    assert.deepEqual([status, Object.keys(body.errors)], [400, ["occurredAt"]]);
  });

  it("201: the same Idempotency-Key moves once, and 422 with another content", async () => {
    const pass = await passWith();
    const headers = { "idempotency-key": "once" };
    const first = await pass.move("coffee", { value: -1 }, { headers });
    const again = await pass.move("coffee", { value: -1 }, { headers });
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.equal(again.text, first.text);
    assert.equal((await pass.move("coffee", { value: -2 }, { headers })).status, 422);
    const undo = () => pass.reverse("coffee", first.body.movementId, { headers });
    const [undone, undoneAgain] = [await undo(), await undo()];
    assert.deepEqual([undone.status, undoneAgain.text], [201, undone.text]);
    assert.equal((await pass.movements("coffee")).body.length, 3);
    assert.equal(await pass.value("coffee"), 10);
  });

  it("one 201, 49 × 409: parallel redemptions of the last unit leave 0 and one event", async () => {
    const pass = await passWith({ value: 1 });
    const sent = Array.from({ length: 50 }, () => pass.move("coffee", { value: -1 }));
    const codes = (await Promise.all(sent)).map((answer) => refusal(answer).join(" "));
    const counted = Object.groupBy(codes, (code) => code);
    assert.deepEqual(
      Object.entries(counted)
        .map(([code, all]) => [code, all?.length])
        .sort(),
      [
        ["201 ", 1],
        ["409 privilege.insufficient-value", 49],
      ],
    );
    assert.equal(await pass.value("coffee"), 0);
    const moved = (await pass.events()).filter(({ data }) => data.type === "redemption");
    assert.equal(moved.length, 1);
  });
});

describe("POST …/movements/:movementId/reversal", () => {
  it("201, then 409: undoes once, names the undo, and an undo stays", async () => {
    const pass = await passWith();
    const { body: taken } = await pass.move("coffee", { value: -4 });
    const undo = await pass.reverse("coffee", taken.movementId, { body: { reason: "wrong till" } });
    assert.equal(undo.status, 201);
    const { type, value, valueAfter, reverses, reason } = undo.body;
    assert.deepEqual(
      [type, value, valueAfter, reverses, reason],
      ["adjustment", 4, 10, taken.movementId, "wrong till"],
    );
    const second = await pass.reverse("coffee", taken.movementId);
    assert.deepEqual(refusal(second), [409, "movement.already-reversed"]);
    assert.equal(second.body.reversedBy, undo.body.movementId);
    const undoOfUndo = await pass.reverse("coffee", undo.body.movementId);
    assert.deepEqual(refusal(undoOfUndo), [409, "movement.not-reversible"]);
    const nobody = await pass.reverse("coffee", "mv_nobody");
    assert.deepEqual(refusal(nobody), [404, "movement.not-found"]);
    assert.deepEqual(refusal(await pass.reverse("tea", "mv_nobody")), [404, "privilege.not-found"]);
  });

  it("201: the status is what the movements that stand make it", async () => {
    const one = await passWith({ type: "OneTime", value: null, maximum: null });
    const move = async (pass: typeof one, value: number) =>
      (await pass.move("coffee", { value })).body.movementId;
    const statusWithout = async (pass: typeof one, movementId: string) => {
      assert.equal((await pass.reverse("coffee", movementId)).status, 201);
      return (await pass.get("coffee")).body.status;
    };
    const [first, again, second] = [await move(one, -1), await move(one, 1), await move(one, -1)];
    assert.equal(await statusWithout(one, first), "used", "the second redemption stands");
    assert.equal(await statusWithout(one, second), "available");
    const third = await move(one, -1);
    assert.equal(await statusWithout(one, again), "used", "the third redemption stands");
    assert.equal(await statusWithout(one, third), "available");

    const locked = await passWith({ type: "Unlockable" });
    const [key1, key2] = [await move(locked, 1), await move(locked, 1)];
    assert.equal(await statusWithout(locked, key1), "available", "the second issuance stands");
    assert.equal(await statusWithout(locked, key2), "locked");

    const freed = await passWith({ type: "Unlockable" });
    await freed.put("coffee", { type: "Unlockable", maximum: 12, status: "available" });
    assert.equal(await statusWithout(freed, await move(freed, 1)), "available", "by its status");
    const shut = await move(freed, 1);
    await freed.put("coffee", { type: "Unlockable", maximum: 12, status: "locked" });
    assert.equal(await statusWithout(freed, shut), "locked", "given after the movement");
  });

  it("409: what was issued and is spent cannot be taken back", async () => {
    const pass = await passWith({ value: 0 });
    const { body } = await pass.move("coffee", { value: 5 });
    await pass.move("coffee", { value: -3 });
    const undo = await pass.reverse("coffee", body.movementId);
    assert.deepEqual(refusal(undo), [409, "privilege.insufficient-value"]);
  });

  it("one 201: of many who undo at once", async () => {
    const pass = await passWith();
    const { body } = await pass.move("coffee", { value: -1 });
    const sent = Array.from({ length: 10 }, () => pass.reverse("coffee", body.movementId));
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(9).fill(409)]);
    assert.equal(await pass.value("coffee"), 10);
  });
});

describe("GET …/movements", () => {
  it("200: in pages by cursor, filtered and sorted", async () => {
    const pass = await passWith({ maximum: null });
    for (const value of [1, -2, 3]) await pass.move("coffee", { value, reference: `r${value}` });
    const numbers = (all: { sequence: number }[]) => all.map(({ sequence }) => sequence);
    const first = await pass.movements("coffee", "?pageSize=3");
    assert.deepEqual(numbers(first.body), [4, 3, 2]);
    assert.equal(first.headers.get("x-pagination-total"), "4");
    const next = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    assert.deepEqual(numbers((await api.get(next, { key })).body), [1]);
    const query =
      "?filter[0].field=type&filter[0].operator=equals&filter[0].value=issuance&sortBy[0].field=value";
    assert.deepEqual(numbers((await pass.movements("coffee", query)).body), [2, 4, 1]);
    const found = await pass.movements(
      "coffee",
      "?filter[0].field=reference&filter[0].operator=equals&filter[0].value=r-2",
    );
    assert.deepEqual(numbers(found.body), [3]);
  });

  it("404: a movement of another privilege", async () => {
    const pass = await passWith();
    await pass.having({ privilegeId: "tea", type: "MultiUse", value: 1 });
    const { body } = await pass.movements("tea");
    const path = `${pass.base}/coffee/movements/${body[0].movementId}`;
    assert.deepEqual(refusal(await api.get(path, { key })), [404, "movement.not-found"]);
  });
});

describe("the ledger", () => {
  it("is not changed or deleted, whoever asks the database", async () => {
    const pass = await passWith();
    const kept = /never changed or deleted/;
    await assert.rejects(
      api.sql("update movement set value = 1 where pass_id = $1", [pass.id]),
      kept,
    );
    await assert.rejects(api.sql("delete from movement where pass_id = $1", [pass.id]), kept);
    assert.equal((await pass.movements("coffee")).body.length, 1);
  });

  it("is erased with its pass, with the answers and events that tell of it", async () => {
    const pass = await passWith();
    const headers = { "idempotency-key": "erased" };
    await pass.move("coffee", { value: -1, reason: "Camille was thirsty" }, { headers });
    assert.equal((await api.delete(`/api/acme/passes/${pass.id}`, { key })).status, 204);
    for (const table of ["movement", "privilege"]) {
      assert.deepEqual(await api.sql(`select from ${table} where pass_id = $1`, [pass.id]), []);
    }
    const told = await api.sql("select data::text from event where data::text like '%thirsty%'");
    assert.deepEqual(told, []);
    const again = await pass.move(
      "coffee",
      { value: -1, reason: "Camille was thirsty" },
      { headers },
    );
    assert.equal(again.status, 409);
  });
});
