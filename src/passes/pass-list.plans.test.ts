import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TenantContext } from "#kernel/context.ts";
import type { Database } from "#kernel/db/database.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { encodeCursor } from "#kernel/http/list-cursor.ts";
import { parseListQuery } from "#kernel/http/list-query.ts";
import { createStore, originOf, testClock } from "#test/support/kernel.ts";
import { type Loaded, loadedAt, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { findPass } from "./pass.repository.ts";
import { listPasses, PASS_LIST } from "./pass-list.repository.ts";
import { selectByFilter } from "./update.repository.ts";

const COUNT = 20_000;
/** What is counted for a page at most, of a value that every fourth pass has. */
const ROWS_MAX = 4_100;

type Node = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
};

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

async function explain(db: Database, tenantId: string, statement: Sql): Promise<Node[]> {
  const [row] = await db.read(
    tenantId,
    sql.unnamed(sql<{ "QUERY PLAN": { Plan: Node }[] }>`
      explain (analyze, format json) ${statement}
    `),
  );
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  assert.ok(plan !== undefined);
  return nodesOf(plan).filter((node) =>
    /^pass(_identifier|_term)?$/.test(node["Relation Name"] ?? ""),
  );
}

/** An index leads to the rows: none is read whole, and hardly any row for nothing. */
function assertIndexed(nodes: readonly Node[], about: string): void {
  for (const node of nodes) {
    const kind = `${about}: ${node["Node Type"]} on ${node["Relation Name"]}`;
    assert.match(node["Node Type"], /^(Index|Bitmap)/, kind);
    const read =
      (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
    assert.ok(read <= ROWS_MAX, `${kind} reads ${read} rows`);
  }
}

type Words = Record<string, string>;

function filter(...filters: readonly [string, string, string][]): Words {
  const entries = filters.flatMap(([field, operator, value], at) => [
    [`filter[${at}].field`, field],
    [`filter[${at}].operator`, operator],
    [`filter[${at}].value`, value],
  ]);
  return Object.fromEntries(entries);
}

function sort(field: string, direction: string): Words {
  return { "sortBy[0].field": field, "sortBy[0].direction": direction };
}

function parse(words: Words) {
  const parsed = parseListQuery(words, PASS_LIST);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.list;
}

function lists(loaded: Loaded): Record<string, Words> {
  const middle = loadedId(loaded, COUNT / 2);
  const at = loadedAt(loaded, COUNT / 2).toISOString();
  const byUpdate = sort("lastUpdateDate", "DESC");
  return {
    "first page": {},
    "largest page": { pageSize: "500" },
    "deep page by cursor": { cursor: encodeCursor(parse({}), PASS_LIST, [middle]) },
    "by type": filter(["passType", "equals", "coupon"]),
    "by status": filter(["status", "equals", "disabled"]),
    "by type and status": filter(["passType", "equals", "loyalty"], ["status", "equals", "active"]),
    "by identifier": filter(["identifiers.crm.id", "equals", "C-777"]),
    "by a rare value": filter(["additionalData.lastName", "equals", "Family777"]),
    "by a common value": filter(["additionalData.tier", "equals", "Bridge"]),
    "by a number": filter(["additionalData.points", "equals", "77"]),
    "by a value nobody has": filter(["metadata.segment", "equals", "gold"]),
    "by installation": filter(["apple", "equals", "installed"]),
    "sorted by update": byUpdate,
    "sorted by update, deep": {
      ...byUpdate,
      cursor: encodeCursor(parse(byUpdate), PASS_LIST, [at, middle]),
    },
    "made since": filter([
      "creationDate",
      "greaterThan",
      loadedAt(loaded, COUNT - 500).toISOString(),
    ]),
    "made since, in order": {
      ...filter(["creationDate", "greaterThan", at]),
      ...sort("creationDate", "ASC"),
    },
  };
}

describe("lists of passes in a large tenant", () => {
  it("are led to their rows by an index, whatever they are narrowed and ordered by", async (t) => {
    const store = await createStore(t);
    const loaded = await loadPasses(store.connection, "acme", COUNT);
    await loadPasses(store.connection, "rival", 2_000);
    const db = store.open(2);
    const explained: Promise<void>[] = [];
    const contextFor = (about: string | undefined) =>
      ({
        ...originOf("acme"),
        clock: testClock,
        read<Row>(statement: Sql<Row>) {
          if (about === undefined) return db.read("acme", statement);
          explained.push(
            explain(db, "acme", statement).then((nodes) => assertIndexed(nodes, about)),
          );
          return db.read("acme", statement);
        },
      }) as unknown as TenantContext;

    for (const [about, words] of Object.entries(lists(loaded))) {
      const list = parse(words);
      // What is counted once a minute at most is counted here.
      await listPasses(contextFor(undefined), { list, url: "/" }, () => undefined as never);
      await listPasses(contextFor(about), { list, url: "/" }, () => undefined as never);
      await Promise.all(explained.splice(0));
    }
    await findPass(contextFor("get by id"), loadedId(loaded, 77));
    await Promise.all(explained);

    const list = parse(filter(["additionalData.lastName", "equals", "Family777"]));
    await db.transaction(originOf("acme"), async (tx) => {
      assertIndexed(await explain(db, "acme", selectByFilter(tx, list)), "bulk update by filter");
    });
  });
});
