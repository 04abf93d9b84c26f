import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg, { type ClientConfig } from "pg";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";

const MIGRATION_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;

type Migration = { readonly name: string; readonly text: string; readonly checksum: string };

/**
 * Brings the database to the newest schema, forward only. Processes that start at the same time
 * wait for one lock; those that get it later find nothing left to do. Each migration and the row
 * that marks it as done are one transaction.
 */
export async function migrate(connection: ClientConfig, directory: string): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ ...connection, application_name: "billfold migrate" });
  // If the connection breaks between two statements, the next statement fails; an unhandled `error`
  // event would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.migrations]);
    await client.query(`
      create table if not exists schema_migration (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )
    `);
    return await applyMissing(client, migrations);
  } finally {
    await client.end();
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  const migrations: Migration[] = [];
  // One after the other: a process that may open few files still starts, however many there are.
  for (const name of names) {
    if (!MIGRATION_NAME.test(name)) throw new Error(`Migration '${name}' has no number and name.`);
    const text = await readFile(join(directory, name), "utf8");
    const checksum = createHash("sha256").update(text).digest("hex");
    migrations.push({ name, text, checksum });
  }
  return migrations;
}

async function applyMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from schema_migration",
  );
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const added: string[] = [];
  for (const migration of migrations) {
    const checksum = applied.get(migration.name);
    if (checksum === migration.checksum) continue;
    if (checksum !== undefined) {
      throw new Error(`Migration '${migration.name}' was changed after it was applied.`);
    }
    await apply(client, migration);
    added.push(migration.name);
  }
  return added;
}

async function apply(client: pg.Client, { name, text, checksum }: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(text);
    await client.query("insert into schema_migration (name, checksum) values ($1, $2)", [
      name,
      checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`Migration '${name}' failed: ${(error as Error).message}`, { cause: error });
  }
}
