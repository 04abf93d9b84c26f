import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Database } from "#kernel/db/database.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type LentDatabase, lendDatabase } from "#test/support/kernel.ts";
import { listUniqueHolders } from "./batches/batch.repository.ts";
import { addIdentifiers } from "./pass.repository.ts";
import { findHolder } from "./pass-identifier.repository.ts";

/** Every ticket of an event has its `event.id`, and then the template calls it unique. */
const COUNT = 20_000;
const E1 = { "event.id": "E-1" };
const SOUGHT = [{ name: "event.id", value: "E-1", passType: "ticket" }];
/** One entry of an index is on the last of a few pages that lead to it. */
const PAGES_MAX = 20;
const ROWS_MAX = 3;

type Node = {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Node[];
};

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** A transaction that keeps the statements of a repository instead of running them. */
function recorder() {
  const statements: Sql[] = [];
  const keep = async (statement: Sql) => {
    statements.push(statement);
    return [];
  };
  const tx = { tenantId: "acme", many: keep, maybeOne: keep, run: keep };
  return { statements, tx: tx as unknown as TenantTx };
}

async function costOf(db: Database, ask: (tx: TenantTx) => Promise<unknown>) {
  const { statements, tx } = recorder();
  await ask(tx);
  let [rows, pages] = [0, 0];
  for (const statement of statements) {
    const [row] = await db.read(
      "acme",
      sql.unnamed(sql<{ "QUERY PLAN": { Plan: Node }[] }>`
        explain (analyze, buffers, format json) ${statement}
      `),
    );
    const plan = row?.["QUERY PLAN"][0]?.Plan;
    assert.ok(plan !== undefined);
    pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    for (const node of nodesOf(plan)) {
      if (node["Relation Name"] !== "pass_identifier") continue;
      const perLoop = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0);
      rows += perLoop * node["Actual Loops"];
    }
  }
  return { rows, pages };
}

async function shareIdentifier({ sql: run }: LentDatabase) {
  await run(
    `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
     select 'acme', 'event.id', 'E-1', 'ps_' || lpad(n::text, 8, '0'), 'ticket', false
       from generate_series(1, ${COUNT}) as n`,
  );
}

const LOOKUPS = {
  "of one pass": (tx: TenantTx) => findHolder(tx, "ticket", E1),
  "of one pass, for another": (tx: TenantTx) => findHolder(tx, "ticket", E1, "ps_00000001"),
  "of a batch": (tx: TenantTx) => listUniqueHolders(tx, SOUGHT),
  "by an insertion that it refuses": (tx: TenantTx) =>
    addIdentifiers(tx, { id: "ps_new", passType: "ticket", identifiers: E1 }, ["event.id"]),
};

describe("the holder of an identifier that many passes share", () => {
  it("is found by one or two entries of an index, with its mark and before it is marked", async (t) => {
    const database = await lendDatabase(t);
    await shareIdentifier(database);
    const db = database.open(1);
    for (const state of ["unmarked", "unmarked, analyzed", "marked", "marked, analyzed"]) {
      if (state === "marked") {
        await database.sql("update pass_identifier set is_unique = true where pass_id = $1", [
          "ps_00000001",
        ]);
      }
      if (state.endsWith("analyzed")) await database.sql("analyze pass_identifier");
      for (const [about, ask] of Object.entries(LOOKUPS)) {
        const { rows, pages } = await costOf(db, ask);
        const cost = `${about}, ${state}: ${rows} rows, ${pages} pages`;
        assert.ok(rows <= ROWS_MAX && pages <= PAGES_MAX, cost);
      }
    }
  });
});
