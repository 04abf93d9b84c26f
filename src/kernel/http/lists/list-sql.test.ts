import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type FilterWords, listWords, type SortWords } from "#test/support/list-words.ts";
import { compileSql, type Sql, sql } from "../../db/sql.ts";
import { encodeCursor } from "./list-cursor.ts";
import { parseListQuery } from "./list-query.ts";
import type { ListQuery, ListSpec } from "./list-spec.ts";
import {
  escapeLike,
  type ListPart,
  listConditions,
  listParts,
  type OrderedRows,
  prefixRange,
} from "./list-sql.ts";

const spec: ListSpec = {
  fields: {
    id: { sql: "p.id", type: "id" },
    name: { sql: "p.name", type: "text" },
    points: { sql: "p.points", type: "number", nullable: false },
    createdAt: { sql: "p.created_at", type: "timestamp", nullable: false },
    enabled: { sql: "p.enabled", type: "boolean" },
  },
  families: [
    {
      prefix: "identifiers.",
      resolve: (name) => ({ sql: sql`p.identifiers ->> ${name}::text`, type: "text" }),
    },
    {
      prefix: "data.",
      resolve: (name) => ({ sql: sql`p.data ->> ${name}::text`, type: "text" }),
    },
  ],
  id: "id",
  paging: "always",
};

/**
 * Rows with a value that are kept in sorted order in another table, as the owner of a list gives
 * them.
 */
function onShelf(name: string, ...ranges: readonly string[]): OrderedRows {
  return {
    ranges: ranges.map((range) => ({
      join: sql`join shelf on shelf.p_id = p.id and shelf.name = ${name}::text and ${sql.raw(range)}`,
      value: sql`shelf.value`,
      id: sql`shelf.p_id`,
    })),
    hasOthers: ranges.length === 1,
  };
}

function listOf(
  filters: readonly FilterWords[],
  sorts: readonly SortWords[] = [],
  cursor?: string,
): ListQuery {
  const words = listWords(filters, sorts);
  const query = cursor === undefined ? words : { ...words, cursor };
  const result = parseListQuery(query, spec);
  assert.ok(result.ok, JSON.stringify(result));
  return result.list;
}

function compiled(piece: Sql): [string, ...unknown[]] {
  const { text, values } = compileSql(piece);
  return [text, ...values];
}

function condition(...filter: FilterWords): [string, ...unknown[]] {
  return compiled(listConditions(listOf([filter])));
}

function parts(...sorts: readonly SortWords[]): readonly ListPart[] {
  return listParts(listOf([], sorts), spec);
}

/** The rows of each part that come after a row with these values. */
function after(
  sorts: readonly SortWords[],
  values: readonly (string | null)[],
  ordered?: OrderedRows,
) {
  const cursor = encodeCursor(listOf([], sorts), spec, values);
  return listParts(listOf([], sorts, cursor), spec, ordered).map(({ where }) => compiled(where));
}

describe("listConditions", () => {
  it("is true without filters and joins several by and", () => {
    assert.deepEqual(compiled(listConditions(listOf([]))), ["true"]);
    const both = listOf([
      ["name", "equals", "x"],
      ["enabled", "exists", "true"],
    ]);
    assert.deepEqual(compiled(listConditions(both)), [
      "(p.name) = $1::text and (p.enabled) is not null",
      "x",
    ]);
  });

  it("binds every value with the type of its field", () => {
    assert.deepEqual(condition("points", "greaterThan", "1.5"), [
      "(p.points) > $1::numeric",
      "1.5",
    ]);
    assert.deepEqual(condition("points", "lessThan", "-2"), ["(p.points) < $1::numeric", "-2"]);
    assert.deepEqual(condition("enabled", "equals", "true"), ["(p.enabled) = $1::boolean", "true"]);
    assert.deepEqual(condition("name", "exists", "false"), ["(p.name) is null"]);
  });

  it("finds rows without a value by notEquals", () => {
    const expected = ["(p.name) is distinct from $1::text", "x"];
    assert.deepEqual(condition("name", "notEquals", "x"), expected);
  });

  it("escapes the wildcards of LIKE", () => {
    assert.deepEqual(condition("name", "contains", "50%_\\"), [
      "(p.name) like $1::text",
      "%50\\%\\_\\\\%",
    ]);
    assert.deepEqual(condition("id", "startsWith", "a_"), ["(p.id) like $1::text", "a\\_%"]);
  });

  it("binds the name of a family member", () => {
    assert.deepEqual(condition("identifiers.crm.id", "equals", "x"), [
      "(p.identifiers ->> $1::text) = $2::text",
      "crm.id",
      "x",
    ]);
  });

  it("counts a millisecond as a whole", () => {
    const time = "2024-01-01T00:00:00.000Z";
    const next = "$1::timestamptz + interval '1 millisecond'";
    assert.deepEqual(condition("createdAt", "greaterThan", time), [
      `(p.created_at) >= ${next}`,
      time,
    ]);
    assert.deepEqual(condition("createdAt", "lessThan", time), [
      "(p.created_at) < $1::timestamptz",
      time,
    ]);
    assert.match(condition("createdAt", "equals", time)[0], / >= \$1.* and .* < \$2/);
    assert.match(
      condition("createdAt", "notEquals", time)[0],
      /^\(.* < \$1.* or .* >= \$2.* is null\)$/,
    );
  });

  it("property: no value ever becomes text of the statement", () => {
    const harmless = condition("name", "contains", "x")[0];
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (value) => {
        fc.pre(!value.includes("\u0000"));
        assert.deepEqual(condition("name", "contains", value), [
          harmless,
          `%${escapeLike(value)}%`,
        ]);
      }),
    );
  });
});

describe("listParts", () => {
  const texts = (of: keyof ListPart, found: readonly ListPart[]) =>
    found.map((part) => compiled(part[of]));

  it("end with the unique id", () => {
    assert.deepEqual(texts("order", parts()), [["(p.id) asc"]]);
    assert.deepEqual(texts("where", parts()), [["true"]]);
    const two = parts(["points", "DESC"], ["identifiers.a", "ASC"]);
    assert.deepEqual(texts("order", two), [
      ["(p.points) desc, (p.identifiers ->> $1::text) asc, (p.id) asc", "a"],
    ]);
    assert.deepEqual(texts("cursorValues", two), [
      ["array[(p.points)::text, (p.identifiers ->> $1::text)::text, (p.id)::text]", "a"],
    ]);
  });

  it("are two where rows may lack the first value: those that do come last, by the other columns", () => {
    const two = parts(["name", "DESC"], ["enabled", "DESC"]);
    assert.deepEqual(texts("order", two), [
      ["(p.name) desc, (p.enabled) desc nulls last, (p.id) desc"],
      ["(p.enabled) desc nulls last, (p.id) desc"],
    ]);
    assert.deepEqual(texts("where", two), [
      ["(p.name) is not null and true"],
      ["(p.name) is null and true"],
    ]);
    assert.deepEqual(texts("cursorValues", two), [
      ["array[(p.name)::text, (p.enabled)::text, (p.id)::text]"],
      ["array[null, (p.enabled)::text, (p.id)::text]"],
    ]);
  });

  it("take the value and the id from where they stand in order", () => {
    const two = listParts(listOf([], [["data.tier", "ASC"]]), spec, onShelf("tier", "all"));
    assert.deepEqual(texts("join", two), [
      ["join shelf on shelf.p_id = p.id and shelf.name = $1::text and all", "tier"],
      [""],
    ]);
    assert.deepEqual(texts("order", two), [
      ["(shelf.value) asc, (shelf.p_id) asc"],
      ["(p.id) asc"],
    ]);
    assert.deepEqual(texts("where", two), [
      ["true"],
      ["(p.data ->> $1::text) is null and true", "tier"],
    ]);
    assert.deepEqual(texts("cursorValues", two), [
      ["array[(shelf.value)::text, (shelf.p_id)::text]"],
      ["array[null, (p.id)::text]"],
    ]);
    const behind = after([["data.tier", "DESC"]], ["Deck", "p1"], onShelf("tier", "all"));
    assert.deepEqual(behind, [
      ["((shelf.value), (shelf.p_id)) < ($1::text, $2::text)", "Deck", "p1"],
      ["(p.data ->> $1::text) is null and true", "tier"],
    ]);
  });

  it("are the ranges that filters on the same field leave, in the direction of the list", () => {
    const narrowed = (direction: string) => {
      const list = listOf([["data.tier", "greaterThan", "D"]], [["data.tier", direction]]);
      return listParts(list, spec, onShelf("tier", "low", "high"));
    };
    const joins = (direction: string) =>
      narrowed(direction).map(({ join }) => compiled(join)[0].split(" ").at(-1));
    assert.deepEqual(joins("ASC"), ["low", "high"]);
    assert.deepEqual(joins("DESC"), ["high", "low"]);
  });

  it("sort the column itself where rows are few", () => {
    const few = parts(["data.tier", "ASC"]);
    assert.deepEqual(texts("join", few), [[""], [""]]);
    assert.deepEqual(texts("order", few), [
      ["(p.data ->> $1::text) asc, (p.id) asc", "tier"],
      ["(p.id) asc"],
    ]);
  });

  it("compare rows where one index range can serve", () => {
    const time = "2024-01-01 00:00:00.123456+00";
    assert.deepEqual(after([["createdAt", "DESC"]], [time, "p1"]), [
      ["((p.created_at), (p.id)) < ($1::timestamptz, $2::text)", time, "p1"],
    ]);
    assert.deepEqual(after([], ["p1"]), [["((p.id)) > ($1::text)", "p1"]]);
  });

  it("spell out mixed directions, with a bound that an index can begin at", () => {
    assert.deepEqual(
      after(
        [
          ["points", "DESC"],
          ["id", "ASC"],
        ],
        ["5", "p1"],
      ),
      [
        [
          "(p.points) <= $1::numeric and ((p.points) < $2::numeric or ((p.points) = $3::numeric and (p.id) > $4::text))",
          "5",
          "5",
          "5",
          "p1",
        ],
      ],
    );
  });

  it("go on behind a value, and then to the rows without one", () => {
    assert.deepEqual(after([["name", "ASC"]], ["x", "p1"]), [
      ["(p.name) is not null and ((p.name), (p.id)) > ($1::text, $2::text)", "x", "p1"],
      ["(p.name) is null and true"],
    ]);
    assert.deepEqual(after([["name", "ASC"]], [null, "p1"]), [
      ["(p.name) is null and ((p.id)) > ($1::text)", "p1"],
    ]);
    assert.deepEqual(after([["name", "DESC"]], [null, "p1"]), [
      ["(p.name) is null and ((p.id)) < ($1::text)", "p1"],
    ]);
  });

  it("spell out nulls in the further columns", () => {
    const sorts: readonly SortWords[] = [
      ["points", "ASC"],
      ["name", "DESC"],
    ];
    assert.deepEqual(after(sorts, ["5", "x", "p1"]), [
      [
        "(p.points) >= $1::numeric and ((p.points) > $2::numeric or ((p.points) = $3::numeric and " +
          "(((p.name) < $4::text or (p.name) is null) or ((p.name) = $5::text and (p.id) < $6::text))))",
        "5",
        "5",
        "5",
        "x",
        "x",
        "p1",
      ],
    ]);
    assert.deepEqual(after(sorts, ["5", null, "p1"]), [
      [
        "(p.points) >= $1::numeric and ((p.points) > $2::numeric or ((p.points) = $3::numeric and " +
          "((p.name) is null and (p.id) < $4::text)))",
        "5",
        "5",
        "5",
        "p1",
      ],
    ]);
  });
});

describe("prefixRange", () => {
  const range = (prefix: string) => compiled(prefixRange(sql`c`, prefix));
  const RANGE = "c >= $1::text and c < $2::text";

  it("goes to the first text behind all that begin with the prefix", () => {
    assert.deepEqual(range("ab"), [RANGE, "ab", "ac"]);
    assert.deepEqual(range("a\u{10ffff}"), [RANGE, "a\u{10ffff}", "b"]);
    assert.deepEqual(range("a\ud7ff"), [RANGE, "a\ud7ff", "a\ue000"]);
    assert.deepEqual(range(""), ["c >= $1::text", ""]);
    assert.deepEqual(range("\u{10ffff}"), ["c >= $1::text", "\u{10ffff}"]);
  });

  it("property: a text is in the range if and only if it begins with the prefix", () => {
    const character = fc.constantFrom("a", "b", "\ud7ff", "\ue000", "😀", "\u{10ffff}");
    const text = fc.string({ unit: character, maxLength: 5 });
    fc.assert(
      fc.property(text, text, (prefix, candidate) => {
        const [, from, to] = range(prefix);
        const compare = (bound: unknown) =>
          Buffer.compare(Buffer.from(candidate), Buffer.from(String(bound)));
        const isWithin = compare(from) >= 0 && (to === undefined || compare(to) < 0);
        assert.equal(isWithin, candidate.startsWith(prefix));
      }),
      { numRuns: 1000 },
    );
  });
});
