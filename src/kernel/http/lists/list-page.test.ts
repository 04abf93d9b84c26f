import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lendDatabase } from "#test/support/kernel.ts";
import { type FilterWords, listWords } from "#test/support/list-words.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { listPage } from "./list-page.ts";
import { parseListQuery } from "./list-query.ts";
import type { ListSpec } from "./list-spec.ts";

const COUNT = 120_000;
/** What is counted, and the page. */
const ROWS_MAX = 10_001 + 21;

const SPEC: ListSpec = {
  fields: {
    id: { sql: "id", type: "id", nullable: false },
    at: { sql: "at", type: "timestamp", nullable: false },
    kind: { sql: "kind", type: "text", nullable: false },
  },
  id: "id",
  paging: "always",
  defaultSort: [{ field: "at", direction: "DESC" }],
};

type Node = {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
};

function rowsRead(node: Node): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0);
  if (node["Relation Name"] !== "entry") return below;
  return (
    below + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
  );
}

describe("the first page of a list", () => {
  it("reads what it shows and counts, however long the list is and whose other rows are there", async (t) => {
    const database = await lendDatabase(t);
    for (const tenantId of ["early", "late", "none"]) await database.addTenant(tenantId);
    await database.sql(`
      create table entry (tenant_id text not null, id text collate "C" not null, at timestamptz not null,
                          kind text not null, primary key (tenant_id, id));
      create index entry_feed on entry (tenant_id, at desc, id desc);
      select isolate_tenants('entry');`);
    // A scan of the whole table meets the rows of one tenant first, and those of the other last.
    for (const tenantId of ["early", "late"]) {
      await database.sql(
        `insert into entry select $1, lpad(n::text, 9, '0'), now() + n * interval '1 ms', 'kind ' || n % 3
           from generate_series(1, ${COUNT}) as n`,
        [tenantId],
      );
    }
    await database.sql("vacuum analyze entry");
    const db = database.open(1);
    async function read(tenantId: string, ...filters: FilterWords[]) {
      let rows = 0;
      const reader = {
        async read<Row>(statement: Sql<Row>): Promise<Row[]> {
          const [explained] = await db.read(
            tenantId,
            sql.unnamed(
              sql<{ "QUERY PLAN": { Plan: Node }[] }>`explain (analyze, format json) ${statement}`,
            ),
          );
          const plan = explained?.["QUERY PLAN"][0]?.Plan;
          assert.ok(plan !== undefined);
          rows += rowsRead(plan);
          return await db.read(tenantId, statement);
        },
      };
      const parsed = parseListQuery(listWords(filters), SPEC);
      assert.ok(parsed.ok);
      const source = {
        columns: sql<{ id: string }>`id`,
        from: sql`entry`,
        where: sql`tenant_id = ${tenantId}`,
        spec: SPEC,
        present: ({ id }: { id: string }) => id,
      };
      const { options } = await listPage(reader, source, { list: parsed.list, url: "/entries" });
      return { total: options.headers?.["x-pagination-total"], rows };
    }
    const cases = [
      ["early", [], "10001", ROWS_MAX],
      ["late", [], "10001", ROWS_MAX],
      // Every third row fits.
      ["late", [["kind", "equals", "kind 1"]], "10001", 3 * ROWS_MAX],
      ["none", [], "0", 0],
    ] as const;
    for (const [tenantId, filters, total, max] of cases) {
      const seen = await read(tenantId, ...filters.map(([...words]) => words as FilterWords));
      assert.equal(seen.total, total, tenantId);
      assert.ok(seen.rows <= max, `${tenantId} ${JSON.stringify(filters)}: ${seen.rows} rows`);
    }
  });
});
