import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { lendDatabase } from "#test/support/kernel.ts";
import { readSources, type Source } from "#test/support/sources.ts";

/** Tables that any statement may read, each with the reason. */
const OPEN_TABLES: Readonly<Record<string, string>> = {
  schema_migration: "names of files, written before any role exists",
};

const TENANT_POLICY = /current_setting\('app\.tenant'::text, true\)/;

type Table = {
  readonly name: string;
  readonly enabled: boolean;
  readonly forced: boolean;
  readonly hasTenant: boolean;
  readonly policies: readonly { using: string | null; check: string | null; command: string }[];
};

const TABLES = `
  select class.relname as name, class.relrowsecurity as enabled, class.relforcerowsecurity as forced,
         class.relname in ('tenant', 'ended_tenant') or exists (
           select from pg_attribute
            where attrelid = class.oid and attname = 'tenant_id' and not attisdropped) as "hasTenant",
         coalesce((select json_agg(json_build_object('using', pg_get_expr(polqual, polrelid),
                                                     'check', pg_get_expr(polwithcheck, polrelid),
                                                     'command', polcmd))
                     from pg_policy where polrelid = class.oid), '[]') as policies
    from pg_class class
   where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
   order by class.relname`;

/** Row-level security is the second protection of a table. Lists what is wrong with it. */
function lockProblems({ name, enabled, forced, hasTenant, policies }: Table): string[] {
  if (name in OPEN_TABLES) return hasTenant ? [`${name} holds tenants' rows and is open`] : [];
  const problems: string[] = [];
  if (!enabled) problems.push(`${name}: row-level security is off`);
  if (!forced) problems.push(`${name}: the owner steps around row-level security`);
  if (policies.length !== 1)
    problems.push(`${name} has ${policies.length} policies instead of one`);
  for (const { using, check, command } of policies) {
    if (command !== "*") problems.push(`${name}: the policy leaves out some commands`);
    // A policy without its own check uses `using` for new rows too.
    if (check !== null) problems.push(`${name}: new rows are checked by another rule`);
    if (!TENANT_POLICY.test(using ?? "")) problems.push(`${name}: the policy ignores the tenant`);
    const namesTenant = /tenant_id =|\bid =/.test(using ?? "");
    if (hasTenant !== namesTenant) problems.push(`${name}: the policy is of the wrong kind`);
  }
  return problems;
}

function numberingProblems(files: readonly Source[]): string[] {
  return files.flatMap(({ path, text }, index) => {
    const problems: string[] = [];
    const number = String(index + 1).padStart(4, "0");
    if (!new RegExp(`^${number}_[a-z0-9_]+\\.sql$`).test(posix.basename(path))) {
      problems.push(`${path} is not number ${number}`);
    }
    if (!/^-- \S.{20,}/.test(text)) problems.push(`${path} does not begin by saying why`);
    return problems;
  });
}

describe("migrations", () => {
  it("are numbered without gaps and say why in their first line", () => {
    const files = readSources("db/migrations/*.sql");
    assert.ok(files.length > 0);
    assert.deepEqual(numberingProblems(files), []);
  });

  it("lock every table: a tenant's rows to that tenant, the installation's to nobody", async (t) => {
    const database = await lendDatabase(t);
    const tables = (await database.sql(TABLES)) as unknown as Table[];
    assert.ok(tables.some(({ hasTenant }) => hasTenant));
    assert.deepEqual(tables.flatMap(lockProblems), []);
    const names = new Set(tables.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(OPEN_TABLES).filter((name) => !names.has(name)),
      [],
    );
  });

  it("leave requests a role that can change rows and nothing else", async (t) => {
    const database = await lendDatabase(t);
    const [role] = await database.sql(
      "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin from pg_roles where rolname = 'billfold_app'",
    );
    assert.deepEqual(new Set(Object.values(role ?? {})), new Set([false]));
    const owned = await database.sql(
      "select relname from pg_class where relowner = 'billfold_app'::regrole",
    );
    assert.deepEqual(owned, []);
    const truncatable = await database.sql(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and has_table_privilege('billfold_app', oid, 'truncate, references, trigger')",
    );
    assert.deepEqual(truncatable, []);
  });

  it("are found out where the lock is missing", async (t) => {
    const database = await lendDatabase(t);
    await database.sql("create table open_door (tenant_id text not null)");
    await database.sql("create table half_open (tenant_id text not null)");
    await database.sql("alter table half_open enable row level security");
    await database.sql("create policy tenant on half_open for select using (true)");
    const tables = (await database.sql(TABLES)) as unknown as Table[];
    const problems = tables.flatMap(lockProblems);
    assert.equal(problems.filter((line) => line.startsWith("open_door")).length, 3);
    assert.equal(problems.filter((line) => line.startsWith("half_open")).length, 4);
    assert.equal(
      numberingProblems([{ path: "db/migrations/0002_x.sql", text: "create table x ();" }]).length,
      2,
    );
  });
});
