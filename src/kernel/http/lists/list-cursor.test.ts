import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type AfterRule,
  afterRule,
  decodeCursor,
  encodeCursor,
  nextLink,
  type OrderKey,
  orderKeys,
} from "./list-cursor.ts";
import type { FieldType, ListQuery, ListSort, ListSpec, SortDirection } from "./list-spec.ts";

const spec: ListSpec = {
  fields: {
    id: { sql: "id", type: "id" },
    a: { sql: "a", type: "text" },
    b: { sql: "b", type: "number" },
    c: { sql: "c", type: "timestamp", nullable: false },
    d: { sql: "d", type: "boolean" },
  },
  id: "id",
  paging: "always",
};

function sortBy(...sorts: readonly [string, SortDirection][]): ListQuery {
  const known: ListSort[] = sorts.map(([field, direction]) => ({
    field,
    direction,
    column: spec.fields[field] ?? { sql: field, type: "text" },
  }));
  const page = { pageIndex: 0, pageSize: 20, isWhole: false, cursor: undefined, after: undefined };
  return { ...page, filters: [], sorts: known, isDefault: known.length === 0 };
}

function forge(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function bindingOf(list: ListQuery, count: number): unknown {
  const cursor = encodeCursor(list, spec, Array<null>(count).fill(null));
  return JSON.parse(Buffer.from(cursor, "base64url").toString())[0];
}

describe("orderKeys", () => {
  it("ends with the id, in the direction of the column before it", () => {
    const names = (list: ListQuery) =>
      orderKeys(list, spec).map(({ field, direction }) => `${field} ${direction}`);
    assert.deepEqual(names(sortBy()), ["id ASC"]);
    assert.deepEqual(names(sortBy(["a", "DESC"])), ["a DESC", "id DESC"]);
    assert.deepEqual(names(sortBy(["a", "DESC"], ["id", "ASC"])), ["a DESC", "id ASC"]);
    assert.deepEqual(names(sortBy(["id", "DESC"], ["a", "ASC"])), ["id DESC"]);
  });
});

type Row = Record<string, string | null>;

/** Null comes last in either direction. */
function compareRows(keys: readonly OrderKey[], left: Row, right: Row): number {
  for (const { field, direction } of keys) {
    const [x, y] = [left[field] ?? null, right[field] ?? null];
    if (x === y) continue;
    if (x === null || y === null) return y === null ? -1 : 1;
    return x < y === (direction === "ASC") ? -1 : 1;
  }
  return 0;
}

/** SQL's three truth values; `undefined` is unknown. */
function holds(rule: AfterRule, row: readonly (string | null)[], at: readonly (string | null)[]) {
  const evaluate = (part: AfterRule): boolean | undefined => {
    if (part.kind === "never") return false;
    if ("rules" in part) {
      const decisive = part.kind === "any";
      const results = part.rules.map(evaluate);
      if (results.includes(decisive)) return decisive;
      return results.includes(undefined) ? undefined : !decisive;
    }
    const [value, bound] = [row[part.key] ?? null, at[part.key] ?? null];
    if (part.kind === "null") return value === null;
    if (value === null || bound === null) return undefined;
    if (part.kind === "equal") return value === bound;
    return part.kind === "greater" ? value > bound : value < bound;
  };
  return evaluate(rule) === true;
}

describe("afterRule", () => {
  it("property: walking by cursor visits every row once and in order", () => {
    const cell = fc.option(fc.constantFrom("1", "2", "3"));
    const rowCells = fc.record({ a: cell, b: cell, c: fc.constantFrom("1", "2"), d: cell });
    const direction = fc.constantFrom<SortDirection>("ASC", "DESC");
    const sorts = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d", "id"), direction), {
      selector: ([field]) => field,
    });
    const property = fc.property(
      fc.array(rowCells, { maxLength: 30 }),
      sorts,
      fc.integer({ min: 1, max: 7 }),
      (cells, chosen, pageSize) => {
        const rows: Row[] = cells.map((row, index) => ({ ...row, id: `r${100 + index}` }));
        const keys = orderKeys(sortBy(...chosen), spec);
        const valuesOf = (row: Row) => keys.map(({ field }) => row[field] ?? null);
        const sorted = rows.toSorted((left, right) => compareRows(keys, left, right));
        const visited: Row[] = [];
        for (let page = sorted.slice(0, pageSize); page.length > 0; ) {
          visited.push(...page);
          assert.ok(visited.length <= rows.length, "a row was visited twice");
          const at = valuesOf(page.at(-1) ?? {});
          const rule = afterRule(keys, at, spec);
          page = sorted.filter((row) => holds(rule, valuesOf(row), at)).slice(0, pageSize);
        }
        assert.deepEqual(visited, sorted);
      },
    );
    fc.assert(property, { numRuns: 1000 });
  });
});

describe("encodeCursor and decodeCursor", () => {
  it("carry exact values there and back", () => {
    const list = sortBy(["a", "ASC"], ["b", "DESC"], ["c", "ASC"], ["d", "ASC"]);
    const values = ["é'😀", "12345678901234.5678", "2024-01-02 03:04:05.123456+00", null, "p1"];
    const cursor = encodeCursor(list, spec, values);
    assert.match(cursor, /^[\w-]+$/);
    assert.deepEqual(decodeCursor(cursor, list, spec), { ok: true, values });
  });

  it("take dates, numbers and booleans too", () => {
    const list = sortBy(["b", "ASC"], ["c", "ASC"], ["d", "ASC"]);
    const cursor = encodeCursor(list, spec, [1.5, new Date(0), false, "p1"]);
    const values = ["1.5", "1970-01-01T00:00:00.000Z", "false", "p1"];
    assert.deepEqual(decodeCursor(cursor, list, spec), { ok: true, values });
    assert.throws(() => encodeCursor(list, spec, ["p1"]), TypeError);
  });

  it("refuse a cursor of another sort, direction or filter", () => {
    const cursor = encodeCursor(sortBy(["a", "ASC"]), spec, ["x", "p1"]);
    const column = { sql: "a", type: "text" } as const;
    const filters = [{ field: "a", operator: "equals", value: "x", column }] as const;
    for (const other of [
      sortBy(),
      sortBy(["a", "DESC"]),
      sortBy(["b", "ASC"]),
      sortBy(["a", "ASC"], ["id", "DESC"]),
      { ...sortBy(["a", "ASC"]), filters },
    ]) {
      const result = decodeCursor(cursor, other, spec);
      assert.ok(!result.ok);
      assert.match(result.problem, /another sort or filter/);
    }
  });

  it("hold every number of a double, as the database writes it out", () => {
    const least = `-0.${"0".repeat(307)}22250738585072014`;
    const most = `17976931348623157${"0".repeat(292)}`;
    const list = sortBy(["b", "ASC"]);
    for (const value of [least, most, "1".repeat(200)]) {
      const cursor = encodeCursor(list, spec, [value, "p1"]);
      assert.deepEqual(decodeCursor(cursor, list, spec), { ok: true, values: [value, "p1"] });
    }
  });

  it("hold every time that the database writes out", () => {
    const list = sortBy(["c", "ASC"]);
    for (const value of [
      "2024-01-01 00:00:00.123456+00",
      "2024-01-16",
      "2024-01-01 00:00:00-15:30",
    ]) {
      const cursor = encodeCursor(list, spec, [value, "p1"]);
      assert.deepEqual(decodeCursor(cursor, list, spec), { ok: true, values: [value, "p1"] });
    }
  });

  it("refuse values that a cast in SQL would choke on", () => {
    const bad: readonly [string, FieldType, readonly unknown[]][] = [
      ["a", "text", ["\u0000", "\ud800", 1, {}, [], true]],
      ["b", "number", ["", "x", "NaN", "1e999", "1e-999", "--1", "1".repeat(800), "0x1", "1e5 "]],
      [
        "c",
        "timestamp",
        [
          ...[null, "", "now", "infinity", "2024-02-30T00:00:00Z", "2024-01-01T00:00:00"],
          ...[
            "2024-01-01T00:00:00+16:00",
            "2024-01-01 00:00:00.123456-23",
            "2024-01-01T00:00-1600",
          ],
        ],
      ],
      ["d", "boolean", ["", "t", "1", "TRUE"]],
    ];
    for (const [field, , values] of bad) {
      const list = sortBy([field, "ASC"]);
      for (const value of values) {
        const cursor = forge([bindingOf(list, 2), value, "p1"]);
        assert.deepEqual(decodeCursor(cursor, list, spec), {
          ok: false,
          problem: "is not a cursor of this list",
        });
      }
    }
  });

  it("refuse a wrong number of values, a missing id, other JSON and what is no JSON", () => {
    const list = sortBy(["a", "ASC"]);
    const binding = bindingOf(list, 2);
    const bad = [
      [binding],
      [binding, "x"],
      [binding, "x", null],
      [binding, "x", "p1", "y"],
      {},
      1,
      null,
    ];
    for (const parts of bad) assert.ok(!decodeCursor(forge(parts), list, spec).ok);
    for (const text of ["", "a", "=", "%", "é", "x".repeat(10_000), `${forge([])}=`]) {
      assert.ok(!decodeCursor(text, list, spec).ok);
    }
  });

  it("property: no tampering makes it throw or lets a bad value through", () => {
    const list = sortBy(["b", "ASC"], ["c", "DESC"]);
    const good = encodeCursor(list, spec, ["1", "2024-01-01T00:00:00.000Z", "p1"]);
    const tampered = fc
      .tuple(fc.nat(good.length), fc.nat(4), fc.string({ maxLength: 4 }))
      .map(([at, length, inserted]) => good.slice(0, at) + inserted + good.slice(at + length));
    const forged = fc
      .array(fc.oneof(fc.jsonValue(), fc.string()))
      .map((values) => forge([bindingOf(list, 3), ...values]));
    fc.assert(
      fc.property(fc.oneof(tampered, forged, fc.string()), (cursor) => {
        const result = decodeCursor(cursor, list, spec);
        if (!result.ok) return;
        assert.equal(result.values.length, 3);
        assert.ok(result.values[0] === null || Number.isFinite(Number(result.values[0])));
        assert.equal(typeof result.values[2], "string");
      }),
      { numRuns: 2000 },
    );
  });
});

describe("nextLink", () => {
  it("keeps the other parameters as they were sent and drops the page", () => {
    assert.equal(nextLink("/a/passes", "C"), '</a/passes?cursor=C>; rel="next"');
    assert.equal(
      nextLink("/a/passes?pageIndex=2&pageSize=5&filter[0].field=a%20b&cursor=old&x=#frag", "C-_"),
      '</a/passes?pageSize=5&filter[0].field=a%20b&x=&cursor=C-_>; rel="next"',
    );
    assert.equal(
      nextLink("/a?page%49ndex=2&&curs%6fr=1&%zz=1", "C"),
      '</a?%zz=1&cursor=C>; rel="next"',
    );
    assert.equal(nextLink("https://h/a?", "C"), '<https://h/a?cursor=C>; rel="next"');
  });

  it("property: nothing in the address breaks out of the header", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (url, cursor) => {
        fc.pre(cursor.isWellFormed());
        assert.match(nextLink(url, cursor), /^<[!#-;=?-~]+>; rel="next"$/);
      }),
    );
  });
});
