import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileSql, type Sql, sql } from "../db/sql.ts";
import { encodeCursor } from "./list-cursor.ts";
import { type ListQuery, type ListSpec, parseListQuery } from "./list-query.ts";
import {
  cursorCondition,
  cursorValues,
  escapeLike,
  listConditions,
  listOrder,
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
  ],
  id: "id",
};

type Filter = readonly [field: string, operator: string, value: string];
type Sort = readonly [field: string, direction: string];

function listOf(
  filters: readonly Filter[],
  sorts: readonly Sort[] = [],
  cursor?: string,
): ListQuery {
  const query: Record<string, string> = cursor === undefined ? {} : { cursor };
  for (const [at, [field, operator, value]] of filters.entries()) {
    query[`filter[${at}].field`] = field;
    query[`filter[${at}].operator`] = operator;
    query[`filter[${at}].value`] = value;
  }
  for (const [at, [field, direction]] of sorts.entries()) {
    query[`sortBy[${at}].field`] = field;
    query[`sortBy[${at}].direction`] = direction;
  }
  const result = parseListQuery(query, spec);
  assert.ok(result.ok, JSON.stringify(result));
  return result.list;
}

function compiled(piece: Sql): [string, ...unknown[]] {
  const { text, values } = compileSql(piece);
  return [text, ...values];
}

function condition(...filter: Filter): [string, ...unknown[]] {
  return compiled(listConditions(listOf([filter]), spec));
}

function after(sorts: readonly Sort[], values: readonly (string | null)[]): [string, ...unknown[]] {
  const cursor = encodeCursor(listOf([], sorts), spec, values);
  return compiled(cursorCondition(listOf([], sorts, cursor), spec));
}

describe("listConditions", () => {
  it("is true without filters and joins several by and", () => {
    assert.deepEqual(compiled(listConditions(listOf([]), spec)), ["true"]);
    const both = listOf([
      ["name", "equals", "x"],
      ["enabled", "exists", "true"],
    ]);
    assert.deepEqual(compiled(listConditions(both, spec)), [
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

describe("listOrder and cursorValues", () => {
  it("end with the unique id", () => {
    const list = listOf(
      [],
      [
        ["name", "DESC"],
        ["identifiers.a", "ASC"],
      ],
    );
    assert.deepEqual(compiled(listOrder(listOf([]), spec)), ["(p.id) asc"]);
    assert.deepEqual(compiled(listOrder(list, spec)), [
      "(p.name) desc, (p.identifiers ->> $1::text) asc, (p.id) asc",
      "a",
    ]);
    assert.deepEqual(compiled(cursorValues(list, spec)), [
      "array[(p.name)::text, (p.identifiers ->> $1::text)::text, (p.id)::text]",
      "a",
    ]);
  });
});

describe("cursorCondition", () => {
  it("is true without a cursor", () => {
    assert.deepEqual(compiled(cursorCondition(listOf([]), spec)), ["true"]);
  });

  it("compares rows where one index range can serve", () => {
    const time = "2024-01-01 00:00:00.123456+00";
    assert.deepEqual(after([["createdAt", "DESC"]], [time, "p1"]), [
      "((p.created_at), (p.id)) < ($1::timestamptz, $2::text)",
      time,
      "p1",
    ]);
    assert.deepEqual(after([], ["p1"]), ["((p.id)) > ($1::text)", "p1"]);
  });

  it("spells out mixed directions", () => {
    assert.deepEqual(
      after(
        [
          ["points", "DESC"],
          ["id", "ASC"],
        ],
        ["5", "p1"],
      ),
      [
        "((p.points) < $1::numeric or ((p.points) = $2::numeric and (p.id) > $3::text))",
        "5",
        "5",
        "p1",
      ],
    );
  });

  it("spells out nulls, which stand behind every value", () => {
    assert.deepEqual(after([["name", "ASC"]], ["x", "p1"]), [
      "(((p.name) > $1::text or (p.name) is null) or ((p.name) = $2::text and (p.id) > $3::text))",
      "x",
      "x",
      "p1",
    ]);
    const ascending = ["((p.name) is null and (p.id) > $1::text)", "p1"];
    assert.deepEqual(after([["name", "ASC"]], [null, "p1"]), ascending);
    assert.deepEqual(after([["name", "DESC"]], [null, "p1"]), [
      "((p.name) is not null or ((p.name) is null and (p.id) < $1::text))",
      "p1",
    ]);
  });
});
