import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TenantContext } from "#kernel/context.ts";
import type { Database } from "#kernel/db/database.ts";
import { compileSql, type Sql, sql } from "#kernel/db/sql.ts";
import { encodeCursor } from "#kernel/http/lists/list-cursor.ts";
import { parseListQuery } from "#kernel/http/lists/list-query.ts";
import { lendDatabase, originOf, testClock } from "#test/support/kernel.ts";
import { type FilterWords, listWords, type SortWords } from "#test/support/list-words.ts";
import { type Loaded, loadedAt, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { findPass } from "../pass.repository.ts";
import { selectByFilter } from "../updates/update.repository.ts";
import { listPasses, PASS_LIST } from "./pass-list.repository.ts";

const COUNT = 20_000;
/** The most rows that are counted for a page, for a value that every fourth pass has. */
const ROWS_MAX = 4_100;

/** Enough pages for two thousand passes that are each found by key. */
const PAGES_MAX = 8_500;

type Node = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Node[];
};

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

async function explain(db: Database, tenantId: string, statement: Sql): Promise<Node[]> {
  const [row] = await db.read(
    tenantId,
    sql.unnamed(sql<{ "QUERY PLAN": { Plan: Node }[] }>`
      explain (analyze, buffers, format json) ${statement}
    `),
  );
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  assert.ok(plan !== undefined);
  // Parts that the page does not reach are never executed, whatever their plan is.
  return nodesOf(plan).filter(
    (node) =>
      node["Actual Loops"] > 0 && /^pass(_identifier|_term)?$/.test(node["Relation Name"] ?? ""),
  );
}

/** Rows are found by an index: no table is read as a whole, and hardly any row in vain. */
function assertIndexed(nodes: readonly Node[], about: string): void {
  for (const node of nodes) {
    const kind = `${about}: ${node["Node Type"]} on ${node["Relation Name"]}`;
    assert.match(node["Node Type"], /^(Index|Bitmap)/, kind);
    const read =
      (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
    assert.ok(read <= ROWS_MAX, `${kind} reads ${read} rows`);
    // Index entries that lead to no row are not counted above.
    const pages = node["Shared Hit Blocks"] + node["Shared Read Blocks"];
    assert.ok(pages <= PAGES_MAX, `${kind} touches ${pages} pages`);
  }
}

/** Recognises the count up to 100,000, which happens once a minute at most. */
function isSeldom(statement: Sql): boolean {
  return compileSql(statement).values.includes("100001");
}

type Words = Record<string, string>;

function filter(...filters: readonly FilterWords[]): Words {
  return listWords(filters);
}

function sort(...sorts: readonly SortWords[]): Words {
  return listWords([], sorts);
}

function parse(words: Words) {
  const parsed = parseListQuery(words, PASS_LIST);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.list;
}

const SORTED = [
  "id",
  "passType",
  "status",
  "creationDate",
  "lastUpdateDate",
  "expirationDate",
  "installationStatus",
  "apple",
  "google",
  "identifiers.crm.id",
  "identifiers.shop.nobody",
  "additionalData.lastName",
  "additionalData.points",
  "additionalData.tier",
  "metadata.segment",
  "metadata.nothing",
];

function sortedBothWays(field: string): [string, Words][] {
  return ["ASC", "DESC"].map((direction) => [
    `sorted by ${field} ${direction}`,
    sort([field, direction]),
  ]);
}

function lists(loaded: Loaded): Record<string, Words> {
  const middle = loadedId(loaded, COUNT / 2);
  const at = loadedAt(loaded, COUNT / 2).toISOString();
  const byUpdate = sort(["lastUpdateDate", "DESC"]);
  const byPoints = sort(["additionalData.points", "DESC"]);
  const byIdentifier = sort(["identifiers.crm.id", "ASC"]);
  const bySegment = sort(["metadata.segment", "ASC"]);
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
    "by a name nobody has": filter(["metadata.nothing", "exists", "true"]),
    "by the beginning of a value": filter(["metadata.segment", "startsWith", "abc"]),
    "by a common beginning": filter(["additionalData.lastName", "startsWith", "Fam"]),
    "by a range of numbers": filter(["additionalData.points", "greaterThan", "990"]),
    "by a wide range of numbers": filter(["additionalData.points", "lessThan", "500"]),
    "by a range of texts": filter(["additionalData.lastName", "greaterThan", "Family99"]),
    "by a range of identifiers": filter(["identifiers.crm.id", "greaterThan", "C-9999"]),
    "by the beginning of an identifier": filter(["identifiers.crm.id", "startsWith", "C-77"]),
    "by the beginning of an id": filter(["id", "startsWith", middle.slice(0, -12)]),
    "by installation": filter(["apple", "equals", "installed"]),
    "by any installation": filter(["installationStatus", "notEquals", "none"]),
    "by a wallet that nobody uses": filter(["google", "equals", "installed"]),
    "by expiry": filter(["expirationDate", "lessThan", "2020-01-01T00:00:00Z"]),
    "sorted by update": byUpdate,
    "sorted by update, deep": {
      ...byUpdate,
      cursor: encodeCursor(parse(byUpdate), PASS_LIST, [at, middle]),
    },
    ...Object.fromEntries(SORTED.flatMap((field) => sortedBothWays(field))),
    "sorted by a number, deep": {
      ...byPoints,
      cursor: encodeCursor(parse(byPoints), PASS_LIST, ["data.points=#04080000000000000", middle]),
    },
    "sorted by an identifier, deep": {
      ...byIdentifier,
      cursor: encodeCursor(parse(byIdentifier), PASS_LIST, ["C-5555", middle]),
    },
    "sorted by a value that half of them have, behind the last": {
      ...bySegment,
      cursor: encodeCursor(parse(bySegment), PASS_LIST, [null, middle]),
    },
    "sorted by a value, narrowed by type": {
      ...filter(["passType", "equals", "coupon"]),
      ...sort(["additionalData.lastName", "ASC"]),
    },
    "sorted by a value, narrowed by a rare one": {
      ...filter(["additionalData.lastName", "equals", "Family777"]),
      ...sort(["additionalData.points", "ASC"]),
    },
    "sorted by a value, narrowed by the same": {
      ...filter(["additionalData.lastName", "equals", "Family777"]),
      ...sort(["additionalData.lastName", "DESC"]),
    },
    "sorted by a number, narrowed to a wide range of it": {
      ...filter(["additionalData.points", "greaterThan", "700"]),
      ...sort(["additionalData.points", "ASC"]),
    },
    "sorted by a number, narrowed to a wide range of it, from the other end": {
      ...filter(["additionalData.points", "lessThan", "300"]),
      ...sort(["additionalData.points", "DESC"]),
    },
    "sorted by a number, narrowed from both ends": {
      ...filter(
        ["additionalData.points", "greaterThan", "300"],
        ["additionalData.points", "lessThan", "700"],
      ),
      ...sort(["additionalData.points", "ASC"]),
    },
    "sorted by a text, narrowed to a wide range of it": {
      ...filter(["additionalData.firstName", "greaterThan", "Name5"]),
      ...sort(["additionalData.firstName", "DESC"]),
    },
    "sorted by an identifier, narrowed to a common beginning": {
      ...filter(["identifiers.crm.id", "startsWith", "C-1"]),
      ...sort(["identifiers.crm.id", "ASC"]),
    },
    "sorted by a common value, narrowed to it": {
      ...filter(["additionalData.tier", "equals", "Deck"]),
      ...sort(["additionalData.tier", "ASC"]),
    },
    "sorted by a value, narrowed to those made lately": {
      ...filter(["creationDate", "greaterThan", loadedAt(loaded, COUNT - 500).toISOString()]),
      ...sort(["additionalData.points", "ASC"]),
    },
    "sorted by a value, narrowed by identifier": {
      ...filter(["identifiers.crm.id", "equals", "C-777"]),
      ...sort(["additionalData.points", "ASC"]),
    },
    "sorted by update in the other direction than id": sort(
      ["lastUpdateDate", "DESC"],
      ["id", "ASC"],
    ),
    "made since": filter([
      "creationDate",
      "greaterThan",
      loadedAt(loaded, COUNT - 500).toISOString(),
    ]),
    "made since, in order": {
      ...filter(["creationDate", "greaterThan", at]),
      ...sort(["creationDate", "ASC"]),
    },
  };
}

describe("lists of passes in a large tenant", () => {
  it("are led to their rows by an index, whatever they are narrowed and ordered by", async (t) => {
    const database = await lendDatabase(t);
    const loaded = await loadPasses(database.connection, "acme", COUNT);
    await loadPasses(database.connection, "rival", 2_000);
    const db = database.open(2);
    const explained: Promise<void>[] = [];
    const contextFor = (about: string) =>
      ({
        ...originOf("acme"),
        clock: testClock,
        read<Row>(statement: Sql<Row>) {
          if (isSeldom(statement)) return db.read("acme", statement);
          explained.push(
            explain(db, "acme", statement).then((nodes) => assertIndexed(nodes, about)),
          );
          return db.read("acme", statement);
        },
      }) as unknown as TenantContext;

    for (const [about, words] of Object.entries(lists(loaded))) {
      const list = parse(words);
      for (const time of ["first time", "again"]) {
        const context = contextFor(`${about}, ${time}`);
        await listPasses(context, { list, url: "/" }, () => undefined as never);
      }
      await Promise.all(explained.splice(0));
    }
    await findPass(contextFor("get by id"), loadedId(loaded, 77));
    await Promise.all(explained);

    const list = parse(filter(["additionalData.lastName", "equals", "Family777"]));
    const selection = await db.transaction(originOf("acme"), async (tx) =>
      selectByFilter(tx, list),
    );
    assertIndexed(await explain(db, "acme", selection), "bulk update by filter");
  });
});
