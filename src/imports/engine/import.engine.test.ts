import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { systemCall } from "#kernel/call.ts";
import { endedImport, importFile, uploadImport } from "#test/support/imports.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { untilBlocked } from "#test/support/until-blocked.ts";
import { importWaiting } from "./waiting.service.ts";

const api = await startApi({ after });
const key = api.operatorKey;

const HEAD =
  "passType;identifiers.loyalty.number;identifiers.crm.id;additionalData.firstName;additionalData.points";
const csv = (...rows: readonly string[]) => [HEAD, ...rows, ""].join("\n");
const cards = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => `loyalty;N${from + at};C${from + at};Name${at};${at}`);
const countOf = async (text: string) => {
  const [row] = await api.sql(`select count(*)::int as count from ${text}`);
  return row?.count;
};

describe("an import", () => {
  it("makes passes of rows, and says of each what became of it", async () => {
    await seedPassTenant(api, "making");
    const { id } = await seedPass(api, "making", { identifiers: { "loyalty.number": "N2" } });
    const { file, outcomes } = await importFile(
      api,
      "making",
      csv(
        "loyalty;N1;C1;Camille;7",
        "loyalty;N2;;Alex;8",
        "loyalty;N3;C3;;9",
        "loyalty;N2;C1;Robin;10",
        "loyalty;N5;C5;Kim;many",
        "loyalty;N1;;;7",
        "loyalty;N1;;Camille;",
      ),
    );
    assert.deepEqual(
      [file.status, file.rows, file.created, file.updated, file.unchanged, file.failed],
      ["processed", 7, 1, 1, 2, 3],
    );
    assert.equal(file.progress, 1);
    const said = outcomes.map((one) => [one.row, one.line, one.outcome]);
    assert.deepEqual(said, [
      [1, 2, "created"],
      [2, 3, "updated"],
      [3, 4, "failed"],
      [4, 5, "failed"],
      [5, 6, "failed"],
      [6, 7, "unchanged"],
      [7, 8, "unchanged"],
    ]);
    assert.equal(outcomes[1].passId, id);
    assert.equal(
      outcomes[2].message,
      "Column 'additionalData.firstName' is empty, but every pass of this type needs it.",
    );
    assert.equal(
      outcomes[3].message,
      `Column 'identifiers.loyalty.number': 'N2' belongs to another pass already: ${id}.`,
    );
    assert.match(outcomes[4].message, /additionalData\.points.*many/);
    assert.deepEqual(outcomes[0].identifiers, { "loyalty.number": "N1", "crm.id": "C1" });
    const events = await api.sql(
      "select name, data ->> 'importId' as id from event where tenant_id = 'making' and name like 'import.%'",
    );
    assert.deepEqual(events, [{ name: "import.completed", id: file.importId }]);
    const [audit] = await api.sql(
      "select op, request_id from audit where tenant_id = 'making' and target = $1",
      [`pass:${outcomes[0].passId}`],
    );
    assert.deepEqual(audit, { op: "import.run", request_id: file.importId });
  });

  it("of many batches makes every row once, however rows and batches meet", async () => {
    await seedPassTenant(api, "many");
    // The last rows of a batch and the first ones of the next are about the same passes.
    const rows = [...cards(1_490), ...cards(20, 1_480), ...cards(5)];
    const { file } = await importFile(api, "many", csv(...rows));
    assert.deepEqual([file.status, file.rows, file.created], ["processed", 1_515, 1_499]);
    assert.equal(file.failed, 0);
    assert.equal(await countOf("pass where tenant_id = 'many'"), 1_499);
    assert.equal(await countOf("event where tenant_id = 'many' and name = 'pass.created'"), 1_499);
    assert.equal(await countOf("import_outcome where tenant_id = 'many'"), 1_515);
  });

  it("sets points, disables, notifies and deletes by the action of a row", async () => {
    await seedPassTenant(api, "acting");
    const passes = await Promise.all(
      ["1", "2", "3", "4"].map((number) => {
        return seedPass(api, "acting", { identifiers: { "loyalty.number": number } });
      }),
    );
    const head =
      "passType,action,identifiers.loyalty.number,privileges.points,notification.content";
    const { outcomes } = await importFile(
      api,
      "acting",
      [
        head,
        "loyalty,update,1,12.5,",
        "loyalty,disable,2,,",
        "loyalty,notify,3,,Your table is ready.",
        "loyalty,delete,4,,",
        "loyalty,update,5,1,",
        "loyalty,update,1,13,You have 13 points.",
      ].join("\r\n"),
    );
    assert.deepEqual(
      outcomes.map(({ outcome, message }) => [outcome, message]),
      [
        ["updated", null],
        ["updated", null],
        ["updated", "The message was sent to its holder."],
        ["updated", "The pass was deleted."],
        ["failed", "There is no pass with this 'identifiers.loyalty.number'."],
        ["updated", "The message was sent to its holder."],
      ],
    );
    assert.deepEqual(outcomes[3].identifiers, {}, "of an erased pass the log keeps nothing");
    const statusOf = async (id = "") => (await api.get(`/api/acting/passes/${id}`, { key })).status;
    const [first, second, , fourth] = passes.map(({ id }) => id);
    assert.deepEqual([await statusOf(second), await statusOf(fourth)], [200, 404]);
    const { body } = await api.get(`/api/acting/passes/${first}?expand=privileges`, { key });
    assert.equal(body.privileges[0].value, 13);
    const told = await api.sql(
      "select data ->> 'content' as text from event where name = 'pass.notified' and tenant_id = 'acting'",
    );
    assert.equal(told.length, 2);
  });

  it("that is a dry run says what it would do, and does nothing", async () => {
    await seedPassTenant(api, "dry");
    await seedPass(api, "dry", { identifiers: { "loyalty.number": "N1" } });
    const before = await countOf("event where tenant_id = 'dry' and subject is not null");
    const rows = csv(
      "loyalty;N1;;Alex;3",
      "loyalty;N2;C2;Kim;3",
      "loyalty;N2;C2;Kim;4",
      "loyalty;N3;;;1",
    );
    const { file, outcomes } = await importFile(api, "dry", rows, "fileName=a.csv&dryRun=true");
    assert.deepEqual([file.status, file.dryRun, file.rows], ["processed", true, 4]);
    assert.deepEqual(
      outcomes.map(({ outcome, passId }) => [outcome, passId === null]),
      [
        ["updated", false],
        ["created", true],
        ["updated", true],
        ["failed", true],
      ],
    );
    assert.equal(await countOf("pass where tenant_id = 'dry'"), 1);
    assert.equal(await countOf("pass where tenant_id = 'dry' and version = 1"), 1);
    assert.equal(await countOf("event where tenant_id = 'dry' and subject is not null"), before);
    const real = await importFile(api, "dry", rows, "fileName=a.csv");
    assert.deepEqual([real.file.created, real.file.updated, real.file.failed], [1, 2, 1]);
  });

  it("ends in error with a sentence if the file cannot be read, after the rows that can", async () => {
    await seedPassTenant(api, "broken");
    const unknown = await importFile(api, "broken", "Colour;identifiers.crm.id\nred;1\n");
    assert.deepEqual([unknown.file.status, unknown.file.rows], ["error", 0]);
    assert.match(unknown.file.problem, /Colour/);
    const cut = JSON.stringify([
      { passType: "coupon", identifiers: { crm: { id: "1" } } },
      { passType: "coupon", identifiers: { crm: { id: "2" } } },
    ]).slice(0, -3);
    const json = await importFile(api, "broken", cut, "fileName=cut.json");
    assert.deepEqual([json.file.status, json.file.rows, json.file.created], ["error", 1, 1]);
    assert.ok(json.file.problem.length > 10);
    const events = await api.sql(
      "select name from event where tenant_id = 'broken' and name like 'import.%'",
    );
    assert.deepEqual(events, [{ name: "import.failed" }, { name: "import.failed" }]);
  });

  it("updates a pass that got its identifier in the same moment", async (t) => {
    await seedPassTenant(api, "racing");
    const { id } = await seedPass(api, "racing", { identifiers: { "loyalty.number": "old" } });
    const other = new pg.Client(api.database.connection);
    await other.connect();
    t.after(() => other.end());
    await other.query("set app.tenant = '*'");
    await other.query("begin");
    // As somebody does who is not done yet: the import cannot see it, and has to wait.
    await other.query("update pass_identifier set value = 'N1' where pass_id = $1", [id]);
    await other.query(`update pass set identifiers = '{"loyalty.number": "N1"}' where id = $1`, [
      id,
    ]);
    const { importId } = await uploadImport(
      api,
      "racing",
      csv("loyalty;N1;;Alex;1", "loyalty;N2;;Kim;2"),
    );
    await untilBlocked(api);
    await other.query("commit");
    const file = await endedImport(api, "racing", importId);
    assert.deepEqual([file.created, file.updated, file.failed], [1, 1, 0]);
    assert.equal(await countOf("pass where tenant_id = 'racing'"), 2);
  });

  it("fails alone for a row that breaks what nobody foresaw; the others are imported", async () => {
    await seedPassTenant(api, "odd");
    await api.sql(`alter table pass add constraint odd check (data ->> 'firstName' <> 'Odd')`);
    const rows = cards(40).map((row, at) => (at === 17 ? "loyalty;N18;C18;Odd;1" : row));
    const { file, outcomes } = await importFile(api, "odd", csv(...rows));
    await api.sql("alter table pass drop constraint odd");
    assert.deepEqual([file.status, file.created, file.failed], ["processed", 39, 1]);
    assert.deepEqual(
      outcomes.filter(({ outcome }) => outcome === "failed").map(({ row }) => row),
      [18],
    );
    assert.match(outcomes[17].message, /could not be imported because of a fault on our side/);
  });

  it("that waits is done when the task that asked for it ends", async (t) => {
    // A worker that is there already could be done with the file before the task asks for it.
    const still = await startApi(t, { env: { ROLES: "api" } });
    await seedPassTenant(still, "waiting");
    const context = systemCall(still.runtime, "test.task", { tenantId: "waiting" });
    const signal = AbortSignal.timeout(60_000);
    assert.equal((await importWaiting(context, signal)).summary, "No file waited.");
    await uploadImport(still, "waiting", csv(...cards(3), "loyalty;N9;;;1"));
    const [, { summary, counts }] = await Promise.all([
      still.node({ ROLES: "worker" }),
      importWaiting(context, signal),
    ]);
    assert.equal(summary, "1 file with 4 rows imported: 1 rows failed.");
    assert.deepEqual([counts.created, counts.failed, counts.errors], [3, 1, 0]);
  });

  it("goes on beside that of another tenant, and does not keep it waiting", async () => {
    for (const tenantId of ["large-1", "large-2", "small"]) await seedPassTenant(api, tenantId);
    const large = await Promise.all(
      ["large-1", "large-2"].map((id) => uploadImport(api, id, csv(...cards(20_000)))),
    );
    const { file } = await importFile(api, "small", csv(...cards(3)));
    assert.equal(file.created, 3);
    const running = await Promise.all(
      large.map(({ importId }, at) =>
        api.get(`/api/large-${at + 1}/admin/imports/${importId}`, { key }),
      ),
    );
    assert.ok(
      running.some(({ body }) => body.status === "running"),
      JSON.stringify(running.map(({ body }) => body.progress)),
    );
    for (const [at, { body }] of running.entries()) {
      await api.delete(`/api/large-${at + 1}/admin/imports/${body.importId}`, { key });
      const ended = await endedImport(api, `large-${at + 1}`, body.importId);
      if (ended.status === "error") assert.equal(ended.problem, "The import was cancelled.");
      assert.equal(await countOf(`pass where tenant_id = 'large-${at + 1}'`), ended.created);
    }
  });
});
