import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { importFile } from "#test/support/imports.ts";
import { openPrivilegeStage, refusal, type StagedPass } from "#test/support/privilege-stage.ts";
import { ageScans, scanned } from "#test/support/scan-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

/** A `OneTime` privilege with a value has 1 or 0 and nothing else, whichever way it is moved. */

const api = await startApi({ after });
const key = api.operatorKey;
const stage = await openPrivilegeStage(api, "acme");

const HIGH = [409, "privilege.value-exceeds-maximum"];
const LOW = [409, "privilege.insufficient-value"];

async function passWith(more: object = {}): Promise<StagedPass> {
  const pass = await stage.pass();
  await pass.having({ privilegeId: "one", type: "OneTime", value: 1, ...more });
  return pass;
}

async function stateOf(pass: StagedPass): Promise<unknown[]> {
  const { body } = await pass.get("one");
  return [body.value, body.status];
}

const fieldsOf = ({ body }: Awaited<ReturnType<StagedPass["put"]>>) =>
  Object.keys(body.errors ?? {});

/** As releases left it that did not hold the type to 0 and 1. */
async function oddPass(value: number, more: object = {}): Promise<StagedPass> {
  const pass = await passWith({ type: "MultiUse", value, ...more });
  await api.sql("update privilege set type = 'OneTime' where pass_id = $1 and id = 'one'", [
    pass.id,
  ]);
  return pass;
}

describe("movements of a OneTime privilege", () => {
  it("409: more than 1, less than 0, whatever its own bounds; nothing is written", async () => {
    const pass = await passWith({ minimum: -5, maximum: 10 });
    const refused = [];
    for (const sent of [
      { value: 5 },
      { value: 0.5 },
      { type: "issuance", amount: 1 },
      { type: "adjustment", value: 1 },
    ]) {
      refused.push(refusal(await pass.move("one", sent)));
    }
    assert.deepEqual(refused, [HIGH, HIGH, HIGH, HIGH]);
    const { body } = await pass.move("one", { value: 5 });
    assert.deepEqual([body.currentValue, body.maximum], [1, 1]);
    const low = await pass.move("one", { value: -2 });
    assert.deepEqual([refusal(low), low.body.minimum], [LOW, 0]);
    assert.deepEqual(await stateOf(pass), [1, "available"]);
    assert.equal((await pass.movements("one")).body.length, 1);
  });

  it("409: a narrower bound of its own counts as before", async () => {
    const pass = await passWith({ minimum: 1 });
    assert.deepEqual(refusal(await pass.move("one", { value: -1 })), LOW);
  });

  it("400: a part of it, by its field; nothing is written and it can still be redeemed", async () => {
    const pass = await passWith();
    for (const [sent, field] of [
      [{ type: "redemption", amount: 0.5 }, "amount"],
      [{ value: -0.25 }, "value"],
      [{ type: "adjustment", value: -0.0001 }, "value"],
      [{ type: "adjustment", amount: "-0.9999" }, "amount"],
    ] as const) {
      const answer = await pass.move("one", sent);
      assert.deepEqual([answer.status, fieldsOf(answer)], [400, [field]], answer.text);
    }
    assert.deepEqual(await stateOf(pass), [1, "available"]);
    assert.equal((await pass.movements("one")).body.length, 1);
    assert.equal((await pass.move("one", { type: "redemption", amount: 1 })).status, 201);
    assert.deepEqual(await stateOf(pass), [0, "used"]);
    const part = await pass.move("one", { type: "issuance", amount: 0.5 });
    assert.deepEqual([part.status, fieldsOf(part)], [400, ["amount"]]);
    assert.equal((await pass.move("one", { type: "issuance", amount: 1 })).status, 201);
    assert.deepEqual(await stateOf(pass), [1, "available"]);
  });

  it("201: without a value it records whatever is used, once", async () => {
    const pass = await passWith({ value: null });
    const { status, body } = await pass.move("one", { type: "redemption", amount: 2.5 });
    assert.deepEqual([status, body.value, body.valueAfter], [201, -2.5, null]);
    assert.deepEqual(await stateOf(pass), [null, "used"]);
    assert.equal((await pass.move("one", { value: 7 })).status, 201);
    assert.deepEqual(await stateOf(pass), [null, "available"]);
  });

  it("409: an undo that would give a second one", async () => {
    const pass = await passWith();
    const { body: first } = await pass.move("one", { value: -1 });
    assert.equal((await pass.move("one", { value: 1 })).status, 201);
    assert.deepEqual(refusal(await pass.reverse("one", first.movementId)), HIGH);
    assert.deepEqual(await stateOf(pass), [1, "available"]);
    assert.equal((await pass.move("one", { value: -1 })).status, 201);
    assert.equal((await pass.reverse("one", first.movementId)).status, 201);
    assert.equal(await pass.value("one"), 1);
  });

  it("409: an undo of a part from before it was OneTime", async () => {
    const pass = await passWith({ type: "MultiUse", value: 0 });
    const { body: part } = await pass.move("one", { value: 0.5 });
    await pass.move("one", { value: 0.5 });
    assert.equal((await pass.put("one", { type: "OneTime" })).status, 200);
    const undo = await pass.reverse("one", part.movementId);
    assert.deepEqual(refusal(undo), [409, "movement.not-reversible"]);
    assert.match(undo.body.detail, /is a part/);
    assert.equal(await pass.value("one"), 1);
  });

  it("one 201: of many who redeem it at once, whole or in parts", async () => {
    const pass = await passWith();
    const sent = [0.5, 1, 0.5, 1, 1, 0.25, 2].map((amount) =>
      pass.move("one", { type: "redemption", amount }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 1);
    assert.deepEqual(await stateOf(pass), [0, "used"]);
  });
});

describe("scans of a OneTime privilege", () => {
  it("201: a part is a rejected scan, tried or made; all of it is accepted", async () => {
    const pass = await passWith();
    const scan = async (amount: number, more: object = {}) => {
      const redeem = { privilegeId: "one", amount };
      const body = { data: pass.id, type: "qrcode", redeem, ...more };
      const answer = scanned(await api.post("/api/acme/scans", { key, body }));
      await ageScans(api, 3);
      return [answer.decision, answer.reason, "movement" in answer];
    };
    const rejected = ["rejected", "insufficient-value", false];
    assert.deepEqual(await scan(0.25), rejected);
    assert.deepEqual(await scan(0.25, { dryRun: true }), rejected);
    assert.deepEqual(await scan(2), rejected);
    assert.deepEqual(await stateOf(pass), [1, "available"]);
    assert.deepEqual(await scan(1), ["accepted", null, true]);
    assert.deepEqual(await scan(0.5), ["rejected", "already-redeemed", false]);
    assert.deepEqual(await stateOf(pass), [0, "used"]);
  });

  it("200: the list for a gate without network says the same", async () => {
    const pass = await (await openPrivilegeStage(api, "gate")).pass();
    await pass.having({ privilegeId: "one", type: "OneTime", value: 1 });
    const reasonFor = async (amount: string) => {
      const path = `/api/gate/gate-list?privilegeId=one&amount=${amount}`;
      const { status, body, text } = await api.get(path, { key });
      assert.equal(status, 200, text);
      return body.entries.map(({ reason }: { reason: string | null }) => reason);
    };
    assert.deepEqual(await reasonFor("0.25"), ["insufficient-value"]);
    assert.deepEqual(await reasonFor("2"), ["insufficient-value"]);
    assert.deepEqual(await reasonFor("1"), [null]);
  });
});

describe("PUT and imports of a OneTime privilege", () => {
  it("400: what becomes OneTime and keeps another value than null, 0 or 1", async () => {
    for (const [value, sent] of [
      [7, {}],
      [7, { value: 7 }],
      [0.5, {}],
      [0.5, { maximum: 0.5 }],
    ] as const) {
      const pass = await passWith({ type: "MultiUse", value });
      const answer = await pass.put("one", { type: "OneTime", ...sent });
      assert.deepEqual([answer.status, fieldsOf(answer)], [400, ["value"]], answer.text);
      const { body } = await pass.get("one");
      assert.deepEqual([body.type, body.value, body.version], ["MultiUse", value, 1]);
      const whole = await pass.put("one", { type: "OneTime", value: 1 });
      assert.deepEqual([whole.status, whole.body.value], [200, 1], whole.text);
    }
  });

  it("200: what becomes OneTime and keeps null, 0 or 1; 409: if its new bounds do not allow that", async () => {
    for (const value of [null, 0, 1]) {
      const pass = await passWith({ type: "MultiUse", value });
      const { status, body } = await pass.put("one", { type: "OneTime" });
      assert.deepEqual([status, body.type, body.value], [200, "OneTime", value]);
    }
    const pass = await passWith({ type: "MultiUse" });
    assert.deepEqual(refusal(await pass.put("one", { type: "OneTime", maximum: 0 })), HIGH);
  });

  it("says of each row of an import that sets another value why it failed", async () => {
    const [number, rows] = ["O-1", ["2", "-1", "0.5", "0"]];
    const pass = await stage.pass({ "loyalty.number": number });
    await pass.having({ privilegeId: "one", type: "OneTime", value: 1 });
    const head = "passType,action,identifiers.loyalty.number,privileges.one";
    const lines = rows.map((value) => `loyalty,update,${number},${value}`);
    const { outcomes } = await importFile(api, "acme", [head, ...lines].join("\n"));
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["failed", "failed", "failed", "updated"],
    );
    assert.match(outcomes[0].message, /must be at most 1/);
    assert.match(outcomes[1].message, /must be at least 0/);
    assert.match(outcomes[2].message, /must be null, 0 or 1/);
    assert.equal(await pass.value("one"), 0);
  });
});

describe("a OneTime privilege with a value of a former release", () => {
  it("2xx: is read, renamed and deleted as it is; 409: does not go further away", async () => {
    for (const [value, more] of [[6], [0.5], [1.5], [-3, { minimum: -5 }]] as const) {
      const pass = await oddPass(value, more);
      const { body } = await pass.get("one");
      assert.deepEqual([body.type, body.value], ["OneTime", value]);
      const { version: _version, createdAt: _made, updatedAt: _changed, ...back } = body;
      const renamed = await pass.put("one", { ...back, name: "Dessert" });
      assert.deepEqual([renamed.status, renamed.body.value], [200, value], renamed.text);
      const further = await pass.move("one", { type: "adjustment", value: value < 0 ? -1 : 1 });
      assert.deepEqual(refusal(further), value < 0 ? LOW : HIGH);
      assert.equal((await pass.delete("one")).status, 204);
    }
  });

  it("2xx: comes back to 1 or 0 by movements, by PUT, or by being redeemed", async () => {
    const rich = await oddPass(6);
    assert.equal((await rich.move("one", { value: -1 })).status, 201);
    assert.deepEqual(await stateOf(rich), [5, "used"]);
    assert.equal((await rich.move("one", { type: "adjustment", value: -4 })).status, 201);
    assert.equal((await rich.put("one", { type: "OneTime", status: "available" })).status, 200);
    assert.deepEqual(await stateOf(rich), [1, "available"]);

    const half = await oddPass(0.5);
    assert.deepEqual(refusal(await half.move("one", { value: -1 })), LOW);
    assert.equal((await half.move("one", { type: "redemption", amount: 0.5 })).status, 201);
    assert.deepEqual(await stateOf(half), [0, "used"]);
    const { body: ledger } = await half.movements("one");
    const undo = await half.reverse("one", ledger[0].movementId);
    assert.deepEqual(refusal(undo), [409, "movement.not-reversible"]);

    const owing = await oddPass(-3, { minimum: -5 });
    assert.equal((await owing.move("one", { value: 2 })).body.valueAfter, -1);
    assert.equal((await owing.move("one", { value: 2 })).body.valueAfter, 1);

    const more = await oddPass(1.5);
    assert.equal((await more.put("one", { type: "OneTime", value: 1 })).body.value, 1);
  });
});
