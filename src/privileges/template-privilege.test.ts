import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

/** What a new pass gets from templates that were published before the type `OneTime` was held to 1 and 0. */

const api = await startApi({ after });
const key = api.operatorKey;
const PATH = "server/passes/loyalty.yml";

function templateWith(privileges: string): string {
  const text = String(PASS_FILES[PATH]);
  return text.replace(/^privileges: .*$/m, `privileges: [ ${privileges} ]`);
}

const oneTime = (id: string, terms: string) =>
  `{ id: ${id}, name: Entry, type: OneTime, ${terms} }`;

describe("a template with a OneTime privilege of another value than 1 and 0", () => {
  const PRIVILEGES = [
    oneTime("several", "value: 5"),
    oneTime("bounded", "value: 5, minimum: 2, maximum: 9"),
    oneTime("part", "value: 0.5, maximum: 0.5"),
    oneTime("owed", "value: -2, minimum: -5"),
    oneTime("one", "value: 1"),
    oneTime("gone", "value: 0"),
    `{ id: open, name: Entry, type: OneTime }`,
    `{ id: points, name: Points, type: MultiUse, value: 5 }`,
  ];

  it("200: is published with a warning, and so is whatever else changes later", async () => {
    await seedPassTenant(api, "warned", { [PATH]: templateWith(PRIVILEGES.join(", ")) });
    const { body: tested } = await api.get("/api/tenants/warned/test", { key });
    const found = tested.findings.filter(({ code }: { code: string }) =>
      code.startsWith("privilege."),
    );
    const said = found.map(({ severity, code, message }: Record<string, string>) => [
      severity,
      code,
      message,
    ]);
    const warning = (id: string, value: number, given: number) => [
      "warning",
      "privilege.one-time-value",
      `'value' of the privilege '${id}' is ${value}: new passes are given ${given}.`,
    ];
    assert.deepEqual(said, [
      warning("several", 5, 1),
      warning("bounded", 5, 1),
      warning("part", 0.5, 1),
      warning("owed", -2, 0),
    ]);
    const files = { "locales/fr.yml": "Member: Membre\n" };
    const patched = await api.patch("/api/tenants/warned", { key, body: { files } });
    assert.equal(patched.status, 200, patched.text);
    const back = { key, body: { version: 1 } };
    const rolledBack = await api.post("/api/tenants/warned/config/rollback", back);
    assert.equal(rolledBack.status, 200, rolledBack.text);
  });

  it("201: gives new passes 1 or 0, which can be redeemed once", async () => {
    await seedPassTenant(api, "given", { [PATH]: templateWith(PRIVILEGES.join(", ")) });
    const { id } = await seedPass(api, "given");
    const base = `/api/given/passes/${id}/privileges`;
    const { body } = await api.get(base, { key });
    const values = body.map(({ privilegeId, minimum, value, maximum }: Record<string, unknown>) => [
      privilegeId,
      [minimum, value, maximum],
    ]);
    assert.deepEqual(Object.fromEntries(values), {
      several: [0, 1, null],
      bounded: [1, 1, 9],
      part: [0, 1, 1],
      owed: [-5, 0, null],
      one: [0, 1, null],
      gone: [0, 0, null],
      open: [0, null, null],
      points: [0, 5, null],
    });
    for (const name of ["several", "part"]) {
      const redemption = { type: "redemption", amount: 1 };
      const redeemed = await api.post(`${base}/${name}/movements`, { key, body: redemption });
      assert.deepEqual([redeemed.status, redeemed.body.valueAfter], [201, 0], redeemed.text);
    }
    for (const { privilegeId, version: _v, createdAt: _c, updatedAt: _u, ...terms } of body) {
      const { value: _value, ...rest } = terms;
      const put = await api.put(`${base}/${privilegeId}`, { key, body: rest });
      assert.equal(put.status, 200, put.text);
    }
  });

  it("200: a preview shows what a new pass is given", async () => {
    const text = templateWith(oneTime("several", "value: 5")).replace(
      "{{ data.firstName }}",
      "{{ privileges.several.value }} left",
    );
    await seedPassTenant(api, "shown", { [PATH]: text });
    const preview = await api.post("/api/tenants/shown/preview", {
      key,
      body: { passType: "loyalty" },
    });
    assert.equal(preview.status, 200, preview.text);
    assert.match(preview.text, /1 left/);
    assert.doesNotMatch(preview.text, /5 left/);
  });
});
