import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCall } from "#kernel/call.ts";
import { importStage, outcomeOf, processNext } from "#test/support/import-stage.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { dropImportContents, purgeImports } from "./file.jobs.ts";
import { readFileChunks } from "./file.service.ts";

let now = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => now } });
const key = api.operatorKey;
await seedPassTenant(api, "acme");
const stage = importStage(api, "acme");

const run = (job: typeof purgeImports, of: { tenantId?: string } = {}) =>
  job.run(systemCall(api.runtime, job.name, of), {}, AbortSignal.timeout(30_000));
const drop = () => run(dropImportContents, { tenantId: "acme" });
const purge = () => run(purgeImports);

const chunksOf = async (id: string) =>
  (await api.sql("select from import_chunk where file_id = $1", [id])).length;
const contentsOf = async (id: string) => {
  const [row] = await api.sql("select contents from import_file where id = $1", [id]);
  return row?.contents;
};

const wait = (days: number) => {
  now = new Date(now.getTime() + days * 86_400_000);
};

describe("erasing a pass", () => {
  it("erases its row of every log, and the files that told of it; counts and other rows stay", async () => {
    const { id: passId } = await seedPass(api, "acme", {
      identifiers: { "loyalty.number": "erased-1" },
    });
    const id = await stage.pending("number\nerased-1\nkept-2\n");
    await processNext(stage, [
      outcomeOf(1, { passId, identifiers: { "loyalty.number": "erased-1" }, message: "erased-1" }),
      outcomeOf(2, { identifiers: { "loyalty.number": "kept-2" } }),
    ]);
    const other = await stage.pending("number\nkept-3\n");
    await processNext(stage, [outcomeOf(1)]);
    assert.equal((await api.delete(`/api/acme/passes/${passId}`, { key })).status, 204);
    const { body } = await stage.log(id);
    assert.deepEqual(body[0], {
      row: 1,
      line: 2,
      outcome: "created",
      passId,
      identifiers: {},
      message: null,
    });
    assert.deepEqual(body[1].identifiers, { "loyalty.number": "kept-2" });
    assert.equal((await stage.get(id)).body.created, 2);
    assert.equal(await contentsOf(id), "leaving");
    await drop();
    assert.deepEqual([await chunksOf(id), await contentsOf(id)], [0, "gone"]);
    assert.deepEqual([await chunksOf(other), await contentsOf(other)], [1, "kept"]);
    const file = { id, name: "members.csv", size: 20 };
    await assert.rejects(readFileChunks(stage.context, file).next(), /are deleted/);
    const csv = await stage.log(id, "", { accept: "text/csv" });
    assert.ok(!csv.text.includes("erased-1"));
    for (const table of ["import_outcome", "event", "audit", "import_file"]) {
      const rows = await api.sql(`select * from ${table}`);
      assert.ok(!JSON.stringify(rows).includes("erased-1"), table);
    }
  });

  it("erases what failed rows, dry runs and repeated files tell of it, and nothing of others", async () => {
    const own = { "loyalty.number": "erased-3", "crm.id": "erased-c3" };
    const dry = await stage.pending("number\nerased-3\n", "fileName=a.csv&dryRun=true");
    await processNext(stage, [outcomeOf(1, { passId: null, identifiers: own })]);
    const done = await stage.pending("number\nerased-3\n");
    const { id: passId } = await seedPass(api, "acme", { identifiers: own });
    await processNext(stage, [outcomeOf(1, { passId, identifiers: own })]);
    const repeated = await stage.pending("number\nerased-3\n");
    assert.equal(await stage.claim(), undefined);
    const failed = await stage.pending("number\nerased-3\nkept-4\n");
    const sorry = { outcome: "failed", message: "'erased-3' is many" } as const;
    await processNext(stage, [
      outcomeOf(1, { ...sorry, passId: null, identifiers: { "crm.id": "erased-c3" } }),
      outcomeOf(2, { ...sorry, passId: null, identifiers: { "crm.id": "kept-4" }, message: "no" }),
      outcomeOf(3, { ...sorry, passId: "ps_other", identifiers: own }),
    ]);
    assert.equal((await api.delete(`/api/acme/passes/${passId}`, { key })).status, 204);
    const said = (await stage.log(failed)).body.map(
      ({ identifiers, message }: Record<string, unknown>) => [identifiers, message],
    );
    assert.deepEqual(said, [
      [{}, null],
      [{ "crm.id": "kept-4" }, "no"],
      [{}, null],
    ]);
    for (const id of [dry, done, repeated, failed]) assert.equal(await contentsOf(id), "leaving");
    for (const table of ["import_outcome", "import_file", "event", "audit"]) {
      const rows = await api.sql(`select * from ${table}`);
      assert.ok(!JSON.stringify(rows).includes("erased-"), table);
    }
    const traces = "select from import_trace where file_id = any($1)";
    assert.equal((await api.sql(traces, [[dry, failed]])).length, 1);
  });

  it("keeps the sentence that its row deleted it", async () => {
    const { id: passId } = await seedPass(api, "acme");
    const id = await stage.pending("number\ndeleting\n");
    await processNext(stage, [outcomeOf(1, { passId, message: "The pass was deleted." })]);
    assert.equal((await api.delete(`/api/acme/passes/${passId}`, { key })).status, 204);
    const [row] = (await stage.log(id)).body;
    assert.deepEqual([row.identifiers, row.message], [{}, "The pass was deleted."]);
  });

  it("lets an import that is running go on; its file goes when it has ended", async () => {
    const { id: passId } = await seedPass(api, "acme", {
      identifiers: { "loyalty.number": "erased-2" },
    });
    const id = await stage.pending("number\nerased-2\nmore\n");
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    await stage.record(claimed, [outcomeOf(1, { passId })], 10);
    assert.equal((await api.delete(`/api/acme/passes/${passId}`, { key })).status, 204);
    await drop();
    assert.deepEqual([await chunksOf(id), await contentsOf(id)], [1, "kept"]);
    await stage.record(claimed, [outcomeOf(2)], 20);
    await stage.finish(claimed);
    await drop();
    assert.deepEqual([await chunksOf(id), await contentsOf(id)], [0, "gone"]);
  });
});

describe("retention", () => {
  it("keeps contents for a week after the end, and the file with its log for 90 days", async () => {
    const id = await stage.pending("x".repeat(600_000));
    await processNext(stage, [outcomeOf(1, { outcome: "failed", passId: null })]);
    const running = await stage.pending("still running");
    const claimed = await stage.claim();
    wait(6);
    await purge();
    assert.equal(await contentsOf(id), "kept");
    wait(2);
    await purge();
    assert.deepEqual([await chunksOf(id), await contentsOf(id)], [0, "gone"]);
    assert.equal((await stage.log(id)).body.length, 1);
    wait(81);
    await purge();
    assert.equal((await stage.get(id)).status, 200);
    wait(2);
    await purge();
    await purge();
    assert.equal((await stage.get(id)).status, 404);
    for (const table of ["import_outcome", "import_trace"]) {
      assert.deepEqual(await api.sql(`select from ${table} where file_id = $1`, [id]), [], table);
    }
    assert.deepEqual([await chunksOf(running), await contentsOf(running)], [1, "kept"]);
    assert.ok(claimed !== undefined);
    await stage.fail(claimed, "x");
  });

  it("follows retention.importDays of the tenant", async () => {
    const settings = "name: Short\nretention: { importDays: 2 }\n";
    await seedPassTenant(api, "short", { "tenant.yml": settings });
    const short = importStage(api, "short");
    const id = await short.pending();
    await processNext(short);
    wait(3);
    await purge();
    await purge();
    assert.equal((await short.get(id)).status, 404);
    assert.equal(await chunksOf(id), 0);
  });

  it("removes uploads that nobody has continued for a day, and what was removed before", async () => {
    const id = await stage.pending("stale");
    await api.sql("update import_file set state = 'uploading' where id = $1", [id]);
    const removed = await stage.pending("removed");
    await api.delete(`${stage.base}/${removed}`, { key });
    assert.equal(await chunksOf(removed), 1);
    await purge();
    assert.equal((await stage.get(id)).status, 200);
    wait(2);
    await purge();
    for (const gone of [id, removed]) {
      assert.deepEqual(await api.sql("select from import_file where id = $1", [gone]), []);
      assert.equal(await chunksOf(gone), 0);
    }
  });
});

describe("deleting a tenant", () => {
  it("erases its files, their contents and their logs", async (t) => {
    await seedPassTenant(api, "ending");
    const ending = importStage(api, "ending");
    await ending.pending();
    await processNext(ending);
    await ending.pending("second");
    await startApi(t, { database: api.database, env: { ROLES: "worker" } });
    assert.equal((await api.delete("/api/tenants/ending", { key })).status, 204);
    for (const table of ["import_file", "import_chunk", "import_outcome"]) {
      const left = () => api.sql(`select from ${table} where tenant_id = 'ending'`);
      while ((await left()).length > 0) await sleep(50);
    }
  });
});
