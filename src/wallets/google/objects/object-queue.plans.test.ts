import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import type { Database } from "#kernel/db/database.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { lendDatabase } from "#test/support/kernel.ts";
import { listOutdatedTenants, scheduleOutdated } from "../outdated/outdated.repository.ts";
import { claimObjects, listDueTenants, renewObjects } from "./object-queue.repository.ts";

const COUNT = 50_000;
/** The table alone has some thousand pages. */
const PAGES_MAX = 1_000;
/** Three hundred passes get a time, and each of the indexes of a row is written. */
const SHARE_PAGES_MAX = 20_000;
const CLASSES = 200;
const TURNS = 8;

/** They run for all tenants together. */
const OF_ALL = new Set(["listDueTenants", "listOutdatedTenants", "renewObjects"]);

type Asked = Parameters<typeof listDueTenants>[0] & TenantTx;

type Ask = (asked: Asked) => Promise<unknown>;

const ASKS: Readonly<Record<string, Ask>> = {
  listDueTenants,
  listOutdatedTenants,
  claimObjects: (tx) => claimObjects(tx, { token: randomUUID(), seconds: 30, count: 20 }),
  renewObjects: (tx) => renewObjects(tx, [randomUUID()], 30),
  scheduleOutdated: (tx) => scheduleOutdated(tx, { count: 300, seconds: 60 }),
};

/** Keeps the statements of a repository instead of running them. */
async function statementsOf(tenantId: string, ask: Ask): Promise<Sql[]> {
  const statements: Sql[] = [];
  const keep = async (statement: Sql) => {
    statements.push(statement);
    return [];
  };
  const asked = { tenantId, read: keep, many: keep, run: keep, defer: keep };
  await ask(asked as unknown as Asked);
  return statements;
}

describe("the queue to Google", () => {
  it("costs little beside 50,000 passes that wait and as many that are outdated, also the tenant that has them", async (t) => {
    const database = await lendDatabase(t);
    const { sql: run } = database;
    for (const tenantId of ["large", "small"]) await database.addTenant(tenantId);
    const db = database.open(1);
    const insert = (tenant: string, count: number) =>
      run(`
        insert into google_object (tenant_id, pass_id, object_id, google_type, content_hash, state, due_at, claim_token)
        select '${tenant}', kind || n, '1.' || kind || n, 'transit', hash, state, due, token
          from generate_series(1, ${count}) as n,
               (values ('due', 'queued', 'local:', now(), null), ('outdated', 'sent', 'former', null, null),
                       ('done', 'sent', 'local:', null, null),
                       ('claimed', 'queued', 'local:', now(), gen_random_uuid()))
               as object (kind, state, hash, due, token)`);
    await insert("large", COUNT);
    await insert("small", 1);
    // Many tickets of each event were sent by the former release.
    await run(`
      insert into google_class (tenant_id, class_id, pass_type, google_type, configuration_version, content_hash, members, sent_at, updated_at)
      select 'large', '1.c' || n, 'event', 'eventTicket', 1, 'former', '{}', now(), now()
        from generate_series(1, ${CLASSES}) as n`);
    await run(`
      insert into google_object (tenant_id, pass_id, object_id, google_type, class_id, content_hash, state)
      select 'large', 'ticket' || n, '1.ticket' || n, 'eventTicket', '1.c' || (n % ${CLASSES}), 'former', 'sent'
        from generate_series(1, ${COUNT}) as n`);
    await run("vacuum analyze google_object, google_class");
    for (const [name, ask] of Object.entries(ASKS)) {
      for (const tenantId of OF_ALL.has(name) ? ["*"] : ["small", "large"]) {
        // A plan is kept after some executions.
        for (let turn = 0; turn < (name === "scheduleOutdated" ? 1 : TURNS); turn += 1) {
          const pages = await pagesOf(db, tenantId, ask);
          const limit =
            name === "scheduleOutdated" && tenantId === "large" ? SHARE_PAGES_MAX : PAGES_MAX;
          assert.ok(pages <= limit, `${name} of ${tenantId}: ${pages} pages`);
        }
      }
    }
  });
});

async function pagesOf(db: Database, tenantId: string, ask: Ask): Promise<number> {
  let pages = 0;
  for (const statement of await statementsOf(tenantId, ask)) {
    const [row] = await db.read(
      tenantId,
      sql<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>`
        explain (analyze, buffers, format json) ${statement}`,
    );
    const plan = row?.["QUERY PLAN"][0]?.Plan;
    pages += (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? 0);
  }
  return pages;
}
