import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { contestIdentifiers } from "#test/support/contested-identifiers.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { PASS_FILES, seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const options = { BypassQueue: true };
const TEMPLATE = "server/passes/loyalty.yml";

await seedPassTenant(api, "acme");

const patchOne = (id: string, body: object, tenantId = "acme") =>
  api.patch(`/api/${tenantId}/passes/${id}`, { key, body: { ...body, options } });
const rowsOf = (id: string) =>
  api.sql(
    "select name, value, is_unique, pass_type from pass_identifier where pass_id = $1 order by name",
    [id],
  );

/** Publishes the template with these names as the unique ones. */
async function publishUnique(tenantId: string, names: string) {
  const template = String(PASS_FILES[TEMPLATE]).replace(
    "unique: [loyalty.number, crm.id]",
    `unique: [${names}]`,
  );
  const body = { files: { [TEMPLATE]: template } };
  const { status, text } = await api.patch(`/api/tenants/${tenantId}`, { key, body });
  assert.equal(status, 200, text);
}

describe("the identifiers of a pass", () => {
  it("are exactly as they were after a change was refused", async () => {
    const shared = { "shop.id": "S-refused" };
    const { id } = await seedPass(api, "acme", { identifiers: { ...shared, "crm.id": "C-own" } });
    await seedPass(api, "acme", { identifiers: { ...shared, "crm.id": "C-other" } });
    await publishUnique("acme", "loyalty.number, crm.id, shop.id");
    const before = await rowsOf(id);
    const change = { identifiers: { "crm.id": "C-other", "new.id": "N-1", "loyalty.number": "X" } };
    const refused = await patchOne(id, change);
    assert.deepEqual([refused.status, refused.body.code], [409, "pass.identifier-taken"]);
    assert.deepEqual(
      (await rowsOf(id)).map(({ name, value }) => [name, value]),
      before.map(({ name, value }) => [name, value]),
    );
    const own = { identifiers: { "crm.id": "C-new" } };
    const changed = await patchOne(id, own);
    assert.equal(changed.status, 200, changed.text);
    const names = (await rowsOf(id)).map(({ name, value }) => `${name}=${value}`);
    assert.ok(names.includes("crm.id=C-new") && names.includes("shop.id=S-refused"));
    assert.equal(names.length, 3);
  });

  it("that others take and give up all the time are refused without a holder", async () => {
    const identifiers = { "loyalty.number": "N-contested" };
    const body = { identifiers, additionalData: { firstName: "Ada" } };
    const { id } = await seedPass(api, "acme");
    const stop = await contestIdentifiers(api, "pass_identifier");
    for (const { status, body: problem } of [
      await api.post("/api/acme/passes?passType=loyalty", { key, body }),
      await api.post("/api/acme/passes?passType=loyalty&onConflict=update", { key, body }),
      await patchOne(id, { identifiers }),
    ]) {
      const { code, passId, detail } = problem;
      assert.deepEqual([status, code, passId], [503, "service.unavailable", undefined]);
      assert.match(detail, /identifiers/);
    }
    await stop();
    assert.equal((await patchOne(id, { identifiers })).status, 200);
  });

  it("that others take and give up at the same moment are tried again by the queue", async () => {
    const identifiers = { "loyalty.number": "N-contested-later" };
    const { id } = await seedPass(api, "acme");
    const stop = await contestIdentifiers(api, "pass_identifier");
    const sent = await api.patch(`/api/acme/passes/${id}`, { key, body: { identifiers } });
    assert.equal(sent.status, 202, sent.text);
    // Long enough for a first try.
    await new Promise((done) => setTimeout(done, 500));
    await stop();

    const job = await finishedJob(api, "acme", sent.body.jobId);

    assert.deepEqual([job.updated, job.failed], [1, 0]);
    assert.deepEqual(
      (await rowsOf(id)).map(({ value }) => value),
      ["N-contested-later"],
    );
  });

  it("swap between two passes where each gives its own up first", async () => {
    const one = await seedPass(api, "acme", { identifiers: { "crm.id": "C-one" } });
    const two = await seedPass(api, "acme", { identifiers: { "crm.id": "C-two" } });
    assert.equal((await patchOne(one.id, { identifiers: { "crm.id": null } })).status, 200);
    assert.equal((await patchOne(two.id, { identifiers: { "crm.id": "C-one" } })).status, 200);
    assert.equal((await patchOne(one.id, { identifiers: { "crm.id": "C-two" } })).status, 200);
    assert.equal((await patchOne(one.id, { identifiers: { "crm.id": "C-one" } })).status, 409);
  });
});

describe("pass.mark-unique", () => {
  const flagsOf = async (tenantId: string, name: string) => {
    const rows = await api.sql(
      `select value, is_unique from pass_identifier
        where tenant_id = $1 and name = $2 order by value, pass_id`,
      [tenantId, name],
    );
    return rows.map((row) => `${row.value} ${row.is_unique}`);
  };

  async function untilFlags(tenantId: string, name: string, flags: readonly string[]) {
    const deadline = Date.now() + 60_000;
    while (String(await flagsOf(tenantId, name)) !== String(flags) && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual(await flagsOf(tenantId, name), flags);
  }

  it("follows what is published, and leaves those that share one as they are", async () => {
    await seedPassTenant(api, "marked");
    await seedPassTenant(api, "bystander");
    const seed = (value: string, tenantId = "marked") =>
      seedPass(api, tenantId, { identifiers: { "shop.id": value } });
    await seed("alone");
    await seed("shared");
    const second = await seed("shared");
    await seed("alone", "bystander");

    await publishUnique("marked", "loyalty.number, shop.id");
    await untilFlags("marked", "shop.id", ["alone true", "shared true", "shared false"]);
    assert.deepEqual(await flagsOf("bystander", "shop.id"), ["alone false"]);
    for (const value of ["alone", "shared"]) await assert.rejects(seed(value), /identifier-taken/);
    const change = { identifiers: { "crm.id": "C-1" } };
    assert.equal((await patchOne(second.id, change, "marked")).status, 200);

    await publishUnique("marked", "loyalty.number");
    await untilFlags("marked", "shop.id", ["alone false", "shared false", "shared false"]);
    await seed("alone");
  });

  it("is left out for a publication without templates: they alone say what is unique", async () => {
    await seedPassTenant(api, "unmarked");
    await seedPass(api, "unmarked", { identifiers: { "shop.id": "alone" } });
    const jobs = () =>
      api.sql("select from pgboss.job where name = 'pass.mark-unique' and data::text like $1", [
        '%"unmarked"%',
      ]);
    const before = (await jobs()).length;
    const body = { files: { "locales/en.yml": "greeting: Hello\n" } };
    assert.equal((await api.patch("/api/tenants/unmarked", { key, body })).status, 200);
    assert.equal((await jobs()).length, before);
    await publishUnique("unmarked", "loyalty.number, shop.id");
    assert.equal((await jobs()).length, before + 1);
  });
});
