import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { importFile, importLog } from "#test/support/imports.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
await seedPassTenant(api, "acme");

const erasePass = async (id: string) => {
  assert.equal((await api.delete(`/api/acme/passes/${id}`, { key })).status, 204);
};

/** What the log says of each row. */
const said = async (importId: string) =>
  (await importLog(api, "acme", importId)).map(({ passId, identifiers, message }) => [
    passId,
    identifiers,
    message,
  ]);

/** Neither the log, in both forms, nor the failed rows have any of these texts. */
async function assertUntold(importId: string, ...texts: readonly string[]) {
  const address = `/api/acme/admin/imports/${importId}`;
  const log = await api.get(`${address}/log`, { key });
  const csv = await api.get(`${address}/log`, { key, headers: { accept: "text/csv" } });
  const rows = await api.get(`${address}/failed-rows`, { key });
  assert.deepEqual([log.status, csv.status, rows.status], [200, 200, 410]);
  for (const text of texts) assert.ok(!`${log.text}${csv.text}${rows.text}`.includes(text), text);
}

describe("erasing a pass whose rows failed", () => {
  it("erases rows that name it by its id, and that no rule could read", async () => {
    const { id } = await seedPass(api, "acme");
    const { id: other } = await seedPass(api, "acme");
    const { file } = await importFile(
      api,
      "acme",
      [
        "passId;passType;additionalData.points;additionalData.firstName",
        `${id};loyalty;SECRET;SECRET2`,
        `${other};loyalty;kept;Alex`,
        "ps_of-nobody;loyalty;nobody;Robin\n",
      ].join("\n"),
    );
    assert.equal(file.failed, 3);
    const [, kept, nobody] = await said(file.importId);
    assert.deepEqual([kept?.[0], nobody?.[0]], [other, null]);
    await erasePass(id);
    assert.deepEqual(await said(file.importId), [[id, {}, null], kept, nobody]);
    await assertUntold(file.importId, "SECRET");
  });

  it("erases such rows also if another row of the same file erases it", async () => {
    const { id } = await seedPass(api, "acme");
    const { file } = await importFile(
      api,
      "acme",
      [
        "passId;passType;action;additionalData.points",
        `${id};loyalty;delete;`,
        `${id};loyalty;update;SECRET\n`,
      ].join("\n"),
    );
    assert.deepEqual([file.updated, file.failed], [1, 1]);
    assert.deepEqual(await said(file.importId), [
      [id, {}, "The pass was deleted."],
      [id, {}, null],
    ]);
    await assertUntold(file.importId, "SECRET");
  });

  it("erases rows with identifiers that it had at the import, and has no more", async () => {
    const identifiers = { "loyalty.number": "former-1", "crm.id": "former-c1" };
    const { id } = await seedPass(api, "acme", { identifiers });
    const rows = [
      { identifiers: { crm: { id: "former-c1" } }, additionalData: { points: "SECRET" } },
      { identifiers: { crm: { id: "former-c1" } }, passType: "loyaltea" },
      { identifiers: { loyalty: { number: "former-1" } }, additionalData: { points: -1 } },
      { identifiers: { loyalty: { number: "kept-1" } }, additionalData: { points: "many" } },
    ].map((row) => JSON.stringify({ passType: "loyalty", ...row }));
    const { file } = await importFile(api, "acme", `${rows.join("\n")}\n`);
    assert.equal(file.failed, 4);
    const kept = (await said(file.importId))[3];
    assert.deepEqual(kept?.slice(0, 2), [null, { "loyalty.number": "kept-1" }]);
    const { status } = await api.patch(`/api/acme/passes/${id}`, {
      key,
      body: {
        identifiers: { "loyalty.number": "new-1", "crm.id": "new-c1" },
        options: { BypassQueue: true },
      },
    });
    assert.ok(status < 300, String(status));
    await erasePass(id);
    const erased = [id, {}, null];
    assert.deepEqual(await said(file.importId), [erased, erased, erased, kept]);
    await assertUntold(file.importId, "SECRET", "former-");
  });
});

describe("erasing a customer", () => {
  const makeCustomer = async (crmId: string) => {
    const body = { identifiers: { "crm.id": crmId } };
    const { status, body: made } = await api.post("/api/acme/customers", { key, body });
    assert.equal(status, 201);
    return made.customerId;
  };
  const csv = (...rows: readonly string[]) =>
    ["passType;identifiers.crm.id;additionalData.points", ...rows, ""].join("\n");

  for (const passes of ["?passes=true", ""]) {
    it(`erases failed rows of one who has no pass (DELETE …${passes})`, async () => {
      const id = await makeCustomer(`erased${passes.length}`);
      const rows = csv(`loyalty;erased${passes.length};SECRET`, `loyalty;kept${passes.length};x`);
      const { file } = await importFile(api, "acme", rows);
      const kept = (await said(file.importId))[1];
      const { status } = await api.delete(`/api/acme/customers/${id}${passes}`, { key });
      assert.equal(status, 204);
      assert.deepEqual(await said(file.importId), [[null, {}, null], kept]);
      await assertUntold(file.importId, "SECRET", "erased");
    });
  }
});
