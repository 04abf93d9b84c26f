import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { lendDatabase } from "#test/support/kernel.ts";
import { migrate } from "./migrate.ts";

const REAL = join(import.meta.dirname, "../../../db/migrations");

/** An empty schema, in which the migrations of the product are not visible. */
async function emptyDatabase(t: TestContext) {
  const database = await lendDatabase(t);
  await database.sql("create schema fresh");
  await database.sql("set search_path = fresh");
  return { ...database, connection: { ...database.connection, options: "-c search_path=fresh" } };
}

async function folderOf(t: TestContext, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "billfold-migrations-"));
  t.after(() => rm(folder, { recursive: true }));
  const write = (more: Record<string, string>) =>
    Promise.all(Object.entries(more).map(([name, text]) => writeFile(join(folder, name), text)));
  await write(files);
  return { folder, write };
}

describe("migrations", { concurrency: 4 }, () => {
  it("racing processes apply each migration once", async (t) => {
    const { connection, sql } = await emptyDatabase(t);
    const { folder } = await folderOf(t, {
      "0001_first.sql": "create table first (n int); select pg_sleep(0.2);",
      "0002_second.sql": "create table second (n int);",
    });
    const results = await Promise.all([1, 2, 3, 4].map(() => migrate(connection, folder)));
    const names = ["0001_first.sql", "0002_second.sql"];
    assert.deepEqual(results.flat().sort(), names);
    const marks = await sql("select name from schema_migration order by name");
    assert.deepEqual(
      marks.map(({ name }) => name),
      names,
    );
  });

  it("a database at the newest schema is left alone", async (t) => {
    const database = await lendDatabase(t);
    assert.deepEqual(await migrate(database.connection, REAL), []);
  });

  it("a migration changed after it was applied is refused, and nothing after it runs", async (t) => {
    const { connection, sql } = await emptyDatabase(t);
    const { folder, write } = await folderOf(t, {
      "0001_first.sql": "create table first (n int);",
    });
    await migrate(connection, folder);
    await write({
      "0001_first.sql": "create table first (n bigint);",
      "0002_second.sql": "create table second (n int);",
    });
    await assert.rejects(migrate(connection, folder), /'0001_first.sql' was changed/);
    assert.deepEqual(await sql("select to_regclass('fresh.second') as found"), [{ found: null }]);
  });

  it("a failing migration leaves no mark and no trace, and runs once it is right", async (t) => {
    const { connection, sql } = await emptyDatabase(t);
    const { folder, write } = await folderOf(t, {
      "0001_first.sql": "create table first (n int);",
      "0002_second.sql": "create table second (n int); select 1 / 0;",
    });
    await assert.rejects(migrate(connection, folder), /'0002_second.sql' failed: division by zero/);
    assert.deepEqual(await sql("select name from schema_migration"), [{ name: "0001_first.sql" }]);
    assert.deepEqual(await sql("select to_regclass('fresh.second') as found"), [{ found: null }]);
    await write({ "0002_second.sql": "create table second (n int);" });
    assert.deepEqual(await migrate(connection, folder), ["0002_second.sql"]);
  });

  it("a file without number and name is refused", async (t) => {
    const { connection } = await emptyDatabase(t);
    const { folder } = await folderOf(t, { "later.sql": "select 1;" });
    await assert.rejects(migrate(connection, folder), /'later.sql' has no number/);
  });
});
