import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { lendDatabase } from "#test/support/kernel.ts";
import { listOutdatedTenants, scheduleOutdated } from "../outdated/outdated.repository.ts";
import { claimObjects, listDueTenants, renewObjects } from "./object-queue.repository.ts";

const COUNT = 50_000;
/** The table alone has some thousand pages. */
const PAGES_MAX = 150;

/** They run for all tenants together. */
const OF_ALL = new Set(["listDueTenants", "listOutdatedTenants", "renewObjects"]);

type Asked = Parameters<typeof listDueTenants>[0] & TenantTx;

/** Keeps the statements of a repository instead of running them. */
async function statementsOf(ask: (asked: Asked) => Promise<unknown>): Promise<Sql[]> {
  const statements: Sql[] = [];
  const keep = async (statement: Sql) => {
    statements.push(statement);
    return [];
  };
  const asked = { tenantId: "small", read: keep, many: keep, run: keep };
  await ask(asked as unknown as Asked);
  return statements;
}

describe("the queue to Google", () => {
  it("costs a tenant with one pass as little beside one with 50,000 that wait, and as many that are outdated", async (t) => {
    const database = await lendDatabase(t);
    const { sql: run } = database;
    for (const tenantId of ["large", "small"]) await database.addTenant(tenantId);
    const db = database.open(1);
    const insert = (tenant: string, count: number) =>
      run(`
        insert into google_object (tenant_id, pass_id, object_id, google_type, content_hash, state, due_at, claim_token)
        select '${tenant}', kind || n, '1.' || kind || n, 'transit', 'former', state, due, token
          from generate_series(1, ${count}) as n,
               (values ('due', 'queued', now(), null), ('unchanged', 'sent', now(), null),
                       ('outdated', 'sent', null, null), ('claimed', 'queued', now(), gen_random_uuid()))
               as object (kind, state, due, token)`);
    await insert("large", COUNT);
    await insert("small", 1);
    await run("vacuum analyze google_object");
    const asks: Record<string, (asked: Asked) => Promise<unknown>> = {
      listDueTenants,
      listOutdatedTenants,
      claimObjects: (tx) => claimObjects(tx, { token: randomUUID(), seconds: 30, count: 20 }),
      renewObjects: (tx) => renewObjects(tx, [randomUUID()], 30),
      scheduleOutdated: (tx) => scheduleOutdated(tx, { count: 300, seconds: 60 }),
    };
    for (const [name, ask] of Object.entries(asks)) {
      for (const statement of await statementsOf(ask)) {
        const [row] = await db.read(
          OF_ALL.has(name) ? "*" : "small",
          sql.unnamed(
            sql<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>`
              explain (analyze, buffers, format json) ${statement}`,
          ),
        );
        const plan = row?.["QUERY PLAN"][0]?.Plan;
        const pages =
          (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? 0);
        assert.ok(pages <= PAGES_MAX, `${name}: ${pages} pages`);
      }
    }
  });
});
