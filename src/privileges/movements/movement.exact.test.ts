import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedWebhook } from "#test/support/factories.ts";
import { importFile } from "#test/support/imports.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { openPrivilegeStage } from "#test/support/privilege-stage.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilSettled } from "#test/support/until-settled.ts";
import { startReceiver } from "#test/support/webhook-receiver.ts";

/** Numbers are compared as text, because the test's own JSON.parse would lose their digits. */

const api = await startApi({ after });
const key = api.operatorKey;
const stage = await openPrivilegeStage(api, "acme");

/** 2^53 + 1, which no double holds. */
const ODD = "9007199254740993";
const LONG = "123456789012345.6789";

async function emptyPass() {
  const pass = await stage.pass();
  await pass.having({ privilegeId: "money", type: "Unlimited", value: 0 });
  return pass;
}

describe("the digits of a movement", () => {
  it("201: each number is kept as it was sent, whichever way it was written", async () => {
    const kept: [string, string][] = [
      ["0.1", "0.1"],
      ["1e2", "100"],
      ["1.50000e1", "15"],
      ["12.3400000000000000000", "12.34"],
      [LONG, LONG],
      [`-${LONG}`, `-${LONG}`],
      ["999999999999999.9999", "999999999999999.9999"],
      ["0.0001", "0.0001"],
      ['"123456789012345.6789"', LONG],
      ['"-5"', "-5"],
      ["1e-4", "0.0001"],
    ];
    for (const [sent, shown] of kept) {
      const pass = await emptyPass();
      const { status, text } = await pass.moveRaw("money", `{"value": ${sent}}`);
      assert.equal(status, 201, text);
      assert.match(text, new RegExp(`"value":${shown.replace(".", "\\.")},`), text);
    }
  });

  it("409: records whose sum would have more digits; 2xx: every change of the privilege afterwards", async () => {
    const most = "999999999999999.9999";
    for (const [type, sign, code] of [
      ["Unlimited", "", "privilege.value-exceeds-maximum"],
      ["Unlimited", "-", "privilege.insufficient-value"],
      ["OneTime", "", "privilege.value-exceeds-maximum"],
    ] as const) {
      const pass = await stage.pass();
      await pass.having({ privilegeId: "entry", type });
      const wanted = `{"type": "adjustment", "value": ${sign}${most}}`;
      assert.equal((await pass.moveRaw("entry", wanted)).status, 201);
      const { status, body } = await pass.moveRaw("entry", wanted);
      assert.deepEqual([status, body.code], [409, code]);
      const least = `{"type": "adjustment", "value": ${sign}0.0001}`;
      assert.equal((await pass.moveRaw("entry", least)).status, 409);

      assert.equal((await pass.put("entry", { type: "Unlimited", value: 0 })).status, 200);
      assert.equal((await pass.put("entry", { type: "Unlimited", value: null })).status, 200);
      assert.equal((await pass.moveRaw("entry", wanted)).status, 201);
      const far = sign === "" ? `-${most}` : most;
      for (const value of [0, far]) {
        const turned = await pass.put("entry", { type: "Unlimited", value });
        assert.equal(turned.status, 200, turned.text);
      }
      assert.equal((await pass.put("entry", { type: "Unlimited", value: null })).status, 200);
      assert.equal((await pass.moveRaw("entry", wanted)).status, 201);
      assert.equal((await pass.delete("entry")).status, 204);
      const [sum] = await api.sql("select sum(value)::text from movement where pass_id = $1", [
        pass.id,
      ]);
      assert.equal(Number(sum?.sum), 0);
    }
  });

  it("400: a number that cannot be kept is refused by its field", async () => {
    const pass = await emptyPass();
    const refused = [
      "1e400",
      "-1e400",
      "-0",
      "0.0",
      "0.00001",
      "1e-5",
      "1e15",
      ODD,
      "1".repeat(30),
    ];
    refused.push(
      '"1e400"',
      '"0x10"',
      '"five"',
      '""',
      '" 5"',
      '"1_000"',
      "null",
      "true",
      "[]",
      "{}",
    );
    refused.push('"NaN"', '"Infinity"', `"${"9".repeat(5000)}"`, "1e-400", '"٣"');
    for (const sent of refused) {
      const { status, body, text } = await pass.moveRaw("money", `{"value": ${sent}}`);
      assert.equal(status, 400, `${sent.slice(0, 40)}: ${text}`);
      assert.deepEqual(Object.keys(body.errors), ["value"], `${sent.slice(0, 40)}: ${text}`);
    }
    const inMetadata = await pass.moveRaw("money", `{"value": 1, "metadata": {"value": ${LONG}}}`);
    assert.equal(inMetadata.status, 400);
    assert.deepEqual(Object.keys(inMetadata.body.errors), ["metadata.value"]);
    const expected = await pass.moveRaw("money", `{"value": 1, "expectedValue": 1e400}`);
    assert.deepEqual(Object.keys(expected.body.errors), ["expectedValue"]);
    assert.equal((await pass.movements("money")).text, "[]");
  });

  it("201: 0.1 ten times is 1, and taken back is 0", async () => {
    const pass = await emptyPass();
    for (let count = 0; count < 10; count += 1) await pass.move("money", { value: 0.1 });
    assert.equal((await pass.move("money", { value: -1, expectedValue: 1 })).body.valueAfter, 0);
  });

  it("409: a sum of more than 15 digits, on either side", async () => {
    for (const sign of ["", "-"]) {
      const pass = await emptyPass();
      await pass.moveRaw("money", `{"value": ${sign}999999999999999.9999}`);
      const { status, text } = await pass.moveRaw("money", `{"value": ${sign}0.0001}`);
      assert.equal(status, 409, text);
    }
  });

  it("400: a PUT to a value that is further away than one movement leads, with or without a value", async () => {
    const most = "999999999999999.9999";
    for (const [type, from, to] of [
      ["MultiUse", most, `-${most}`],
      ["Unlimited", `-${most}`, "0.0001"],
      ["Unlimited", most, "-0.0001"],
    ]) {
      const pass = await stage.pass();
      const terms = { type, minimum: `-${most}` };
      await pass.having({ privilegeId: "money", ...terms, value: from });
      const { status, body, text } = await pass.put("money", { ...terms, value: to });
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [400, ["value"]], text);
      assert.equal((await pass.movements("money")).body.length, 1);
      for (const value of ["0", to]) {
        assert.equal((await pass.put("money", { ...terms, value })).status, 200);
      }
    }
    const pass = await stage.pass();
    await pass.having({ privilegeId: "money", type: "Unlimited" });
    await pass.moveRaw("money", `{"value": ${most}}`);
    const recorded = await pass.put("money", { type: "Unlimited", value: "-0.0001" });
    assert.deepEqual([recorded.status, Object.keys(recorded.body.errors ?? {})], [400, ["value"]]);
    assert.equal((await pass.put("money", { type: "MultiUse" })).status, 200, "begins at 0 then");
  });

  it("failed: a row of an import that would be such a movement", async () => {
    const most = "999999999999999.9999";
    const pass = await stage.pass({ "loyalty.number": "far" });
    await pass.having({ privilegeId: "money", type: "Unlimited", value: most });
    const head = "passType,action,identifiers.loyalty.number,privileges.money";
    const rows = ["-0.0001", "0", "-0.0001"].map((value) => `loyalty,update,far,${value}`);
    const { outcomes } = await importFile(api, "acme", [head, ...rows].join("\n"));
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["failed", "updated", "updated"],
    );
    assert.match(outcomes[0].message, /must be nearer to the present value/);
  });

  it("409: an undo of a movement of more digits, which former releases wrote", async () => {
    const most = "999999999999999.9999";
    const pass = await emptyPass();
    await pass.moveRaw("money", `{"value": ${most}}`);
    const move = `insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value,
                                        value_before, value_after, occurred_at, created_at)
                  select tenant_id, pass_id, privilege_id, 2, 'mv_far', 'adjustment', -2 * value,
                         value_after, -value_after, occurred_at, created_at
                    from movement where pass_id = $1 and privilege_id = 'money'`;
    await api.sql(move, [pass.id]);
    await api.sql(
      `update privilege set value = -value, total = -total, sequence = 2
        where pass_id = $1 and id = 'money'`,
      [pass.id],
    );
    assert.match((await pass.movements("money")).text, /"value":-1999999999999999\.9998/);
    const { status, body } = await pass.reverse("money", "mv_far");
    assert.deepEqual([status, body.code], [409, "movement.not-reversible"]);
    assert.match(body.detail, /too many digits/);
  });

  it("are the same wherever the movement is told of", async (t) => {
    const receiver = await startReceiver(t);
    await seedWebhook(api, "acme", { endpoint: receiver.url, events: ["privilege.*"] });
    const pass = await stage.pass();
    const body = `{"privilegeId":"money","type":"MultiUse","value":"${LONG}","maximum":${LONG}}`;
    const headers = { "content-type": "application/json", "idempotency-key": "exact" };
    const create = () => api.post(pass.base, { key, rawBody: body, headers });
    const [made, replayed] = [await create(), await create()];
    assert.match(made.text, new RegExp(`"value":${LONG}`));
    assert.equal(replayed.headers.get("idempotency-replayed"), "true");
    assert.equal(replayed.text, made.text);
    const told = [
      `${pass.base}/money`,
      pass.base,
      `${pass.base}/money/movements`,
      `/api/acme/passes/${pass.id}?expand=privileges,timeline`,
      "/api/acme/events?event=privilege.*",
      "/api/acme/admin/audit?pageSize=50",
    ];
    await untilSettled(api);
    for (const path of told) {
      const { status, text } = await api.get(path, { key });
      assert.equal(status, 200, text);
      assert.ok(text.includes(LONG), `${path}: ${text}`);
    }
    const { text: csv } = await api.get(`${pass.base}/money/statement.csv`, { key });
    assert.ok(csv.includes(`,${LONG},0,${LONG},`));
    const refused = await pass.moveRaw("money", '{"value": 1, "expectedValue": 5}');
    assert.match(refused.text, new RegExp(`"currentValue":${LONG}`));
    const [first] = await receiver.waitFor(2);
    assert.ok(first?.raw.includes(LONG), first?.raw.toString());
  });

  it("are on the pass: a template reads them as they are", async () => {
    const loyalty = String(PASS_FILES["server/passes/loyalty.yml"])
      .replace("{{ data.firstName }}", "{{ privileges.points.value }}")
      .replace("type: MultiUse, value: 0", "type: MultiUse, value: 1.5");
    const files = { "server/passes/loyalty.yml": loyalty };
    const published = await api.patch("/api/tenants/acme", { key, body: { files } });
    assert.equal(published.status, 200, published.text);
    const pass = await stage.pass();
    const shown = async () => (await api.get(`/api/acme/passes/${pass.id}/content`, { key })).text;
    assert.match(await shown(), /"1\.5"/);
    await pass.moveRaw("points", `{"value": 123456789012344.1789}`);
    assert.match(await shown(), /"123456789012345\.6789"/);
  });
});
