import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { migrate } from "#kernel/db/migrate.ts";
import { lendDatabase } from "./kernel.ts";

const MIGRATIONS = join(import.meta.dirname, "../../db/migrations");

/**
 * A database as it was before a migration, such as `0019_pass_order.sql`, for tests of what that migration
 * does to rows it finds. `upgrade` runs it, and returns the names of the migrations that ran.
 */
export async function databaseBefore(t: Pick<TestContext, "after">, migration: string) {
  const names = await readdir(MIGRATIONS);
  if (!names.includes(migration)) throw new Error(`There is no migration '${migration}'.`);
  const folder = await mkdtemp(join(tmpdir(), "billfold-upgrade-"));
  t.after(() => rm(folder, { recursive: true }));
  const take = (name: string) => copyFile(join(MIGRATIONS, name), join(folder, name));
  await Promise.all(names.filter((name) => name < migration).map(take));
  const { connection, sql } = await lendDatabase(t);
  // A database that is lent has all migrations already, so this one has a schema of its own.
  await sql("create schema before");
  await sql("set search_path = before");
  const inSchema = { ...connection, options: "-c search_path=before" };
  await migrate(inSchema, folder);
  return {
    sql,
    async upgrade(): Promise<string[]> {
      await take(migration);
      return await migrate(inSchema, folder);
    },
  };
}
