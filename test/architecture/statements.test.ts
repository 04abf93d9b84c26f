import assert from "node:assert/strict";
import { before, describe, it, type TestContext } from "node:test";
import pg from "pg";
import { compileSql, type Sql } from "#kernel/db/sql.ts";
import { lendDatabase } from "#test/support/kernel.ts";
import { readSources } from "#test/support/sources.ts";
import { describeStatement } from "#test/support/statements/described.ts";
import {
  beginsStatement,
  keyOf,
  noteStatements,
  piecesOf,
} from "#test/support/statements/noted-statements.ts";
import { expectedMembers, rowProblems } from "#test/support/statements/row-problems.ts";
import {
  readTyped,
  stringsKey,
  type TypedSources,
} from "#test/support/statements/typed-sources.ts";

/**
 * PostgreSQL parses every statement of every repository against the real schema, without running
 * it. The resulting columns are compared with the row type in the source. To get the statements,
 * the functions of the repositories are called with values made from their types.
 */

const PLANTED = "test/support/statements/planted.repository.ts";

/** Statements that are not reached with such values, and the test that runs each of them. */
const UNMET: Readonly<Record<string, string>> = {
  "src/imports/outcomes/outcome.repository.ts: insert into import_trace":
    "traces rows that failed: file-erasure.test.ts",
  "src/passes/lists/pass-count.repository.ts: select from pass":
    "counts what a filter finds: pass-list.routes.test.ts",
  "src/passes/lists/pass-count.repository.ts: explain (format json)":
    "asks how many of more than 100,000 passes there are: pass-list.plans.test.ts",
  "src/passes/lists/pass-field.repository.ts: select":
    "leads an order through an index: pass-list.model.test.ts",
  "src/scans/scan.repository.ts: select id from":
    "finds a code that was read twice: scan.routes.test.ts",
  "src/scans/scan.repository.ts: select coalesce((":
    "finds a scan that came with network and without: batch.routes.test.ts",
};

let sources: TypedSources;
let statements: readonly Sql[];

describe("statements", () => {
  before(async () => {
    const paths = readSources("src/**/*.repository.ts").map(({ path }) => path);
    sources = readTyped([...paths, PLANTED]);
    statements = await noteStatements(sources);
  });

  it("name columns that exist, and give each member of their row types by one", async (t) => {
    const real = statements.filter((statement) => !isPlanted(statement));
    assert.ok(real.length > 200);
    assert.deepEqual(await problemsOf(t, real), []);
  });

  it("are all read: none stands where this test does not come", () => {
    const met = new Set(statements.flatMap(piecesOf).map(keyOf));
    const unmet = sources.templates
      .filter(({ place }) => place.includes(".repository.ts:"))
      .filter((template) => template.row !== undefined || beginsStatement(template))
      .filter(({ strings }) => !met.has(stringsKey(strings)))
      .map(({ place, strings: [text = ""] }) => {
        const words = text.trim().split(/\s+/).slice(0, 3).join(" ");
        return `${place.replace(/:\d+$/, "")}: ${words}`;
      });
    assert.deepEqual(unmet.sort(), Object.keys(UNMET).sort());
  });

  it("are found out where a mistake is planted, and only there", async (t) => {
    const problems = await problemsOf(t, statements.filter(isPlanted));
    const found = problems.map((line) => line.replace(/^\S+ /, ""));
    assert.deepEqual(found, [
      'column "pas_type" does not exist',
      'no column gives member "passType" of its row type',
      'column "secret" is no member of its row type',
      'column "passType" is no member of its row type',
      'no column gives member "nickname" of its row type',
      '"total" is int8, and the row type takes number',
    ]);
  });
});

function isPlanted(statement: Sql): boolean {
  const [template] = sources.byStrings.get(keyOf(statement)) ?? [];
  return template?.place.startsWith(PLANTED) === true;
}

async function problemsOf(t: TestContext, read: readonly Sql[]): Promise<string[]> {
  const database = await lendDatabase(t);
  const client = new pg.Client(database.connection);
  await client.connect();
  database.undoLater(() => client.end());
  const { rows } = await client.query("select oid, typname from pg_type");
  const typeNames = new Map(rows.map(({ oid, typname }) => [Number(oid), String(typname)]));
  const found: string[] = [];
  for (const statement of read) {
    const templates = sources.byStrings.get(keyOf(statement)) ?? [];
    try {
      const columns = await describeStatement(client, compileSql(statement).text);
      for (const { row, place } of templates) {
        const members = row && expectedMembers(statement, row, sources);
        if (members === undefined) continue;
        found.push(...rowProblems(columns, members, typeNames).map((line) => `${place} ${line}`));
      }
    } catch (error) {
      found.push(`${templates[0]?.place} ${(error as Error).message}`);
    }
  }
  return found;
}
