import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import pg from "pg";
import { watchDeadlocks } from "#test/support/deadlocks.ts";
import { holdLock } from "#test/support/hold-lock.ts";
import { endedImport, importLog, uploadImport } from "#test/support/imports.ts";
import { finishedJob } from "#test/support/jobs.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";

const api = await startApi({ after });
const key = api.operatorKey;

const RENAME = [
  "update pass_identifier set value = 'N9' where pass_id = $1 and name = 'loyalty.number'",
  `update pass set identifiers = identifiers || '{"loyalty.number": "N9"}' where id = $1`,
];
const ERASE = [
  "delete from pass_identifier where pass_id = $1",
  "delete from privilege where pass_id = $1",
  "delete from pass where id = $1",
];

/** Imports one row for the pass N1 while somebody else changes the pass, and is not done yet. */
async function race(t: TestContext, tenantId: string, changes: readonly string[], row: string) {
  await seedPassTenant(api, tenantId);
  const { id } = await seedPass(api, tenantId, { identifiers: { "loyalty.number": "N1" } });
  const other = new pg.Client(api.database.connection);
  await other.connect();
  t.after(() => other.end());
  await other.query("set app.tenant = '*'");
  await other.query("begin");
  for (const change of changes) await other.query(change, [id]);
  const content = `passType;action;identifiers.loyalty.number;additionalData.firstName\n${row}\n`;
  const { importId } = await uploadImport(api, tenantId, content);
  await untilBlocked(api);
  await other.query("commit");
  const file = await endedImport(api, tenantId, importId);
  const [outcome] = await importLog(api, tenantId, importId);
  const { body } = await api.get(`/api/${tenantId}/passes/${id}`, { key });
  return { id, file, outcome, pass: body };
}

describe("a row for a pass that somebody else changes in the same moment", () => {
  it("makes a new pass if that one is erased", async (t) => {
    const { id, file, outcome } = await race(t, "erased", ERASE, "loyalty;upsert;N1;Alex");
    assert.deepEqual([file.created, file.failed], [1, 0], JSON.stringify(outcome));
    assert.notEqual(outcome.passId, id);
  });

  it("does not take the identifier from it that it just got", async (t) => {
    const { file, outcome, pass } = await race(t, "renamed", RENAME, "loyalty;update;N1;Alex");
    assert.equal(file.failed, 1, JSON.stringify(outcome));
    assert.equal(pass.identifiers["loyalty.number"], "N9");
    assert.equal(pass.additionalData.firstName, "Camille");
  });

  it("makes a new pass if that one has another identifier by then", async (t) => {
    const { id, file, outcome } = await race(t, "left", RENAME, "loyalty;upsert;N1;Alex");
    assert.deepEqual([file.created, file.failed], [1, 0], JSON.stringify(outcome));
    assert.notEqual(outcome.passId, id);
  });

  it("waits for a change of many passes without a circle, also where the file names one twice", async (t) => {
    const tenantId = "twice";
    await seedPassTenant(api, tenantId);
    const seeded = await Promise.all([1, 2, 3].map(() => seedPass(api, tenantId)));
    const passIds = seeded.map(({ id }) => id).sort();
    const [first, middle, last] = passIds;
    const held = "select from pass where id = $1 for update";
    const deadlocks = watchDeadlocks(api);
    const release = await holdLock(t, api, held, [middle]);
    const body = { passIds, additionalData: { points: 7 } };
    const { body: job } = await api.patch(`/api/${tenantId}/passes`, { key, body });
    await untilBlocked(api);
    const rows = [last, last, first].map((id) => `loyalty;${id};update;Alex\n`);
    const content = `passType;passId;action;additionalData.firstName\n${rows.join("")}`;
    const { importId } = await uploadImport(api, tenantId, content);
    await untilBlocked(api, 2);

    await release();

    const file = await endedImport(api, tenantId, importId);
    assert.equal(file.failed, 0);
    const { state, updated } = await finishedJob(api, tenantId, job.jobId);
    assert.deepEqual([state, updated], ["completed", 3]);
    assert.deepEqual(deadlocks(), []);
  });

  it("does not delete it when it is another person's by then", async (t) => {
    const { file, outcome, pass } = await race(t, "kept", RENAME, "loyalty;delete;N1;");
    assert.equal(file.failed, 1, JSON.stringify(outcome));
    assert.equal(pass.identifiers["loyalty.number"], "N9");
  });
});
