import assert from "node:assert/strict";
import querystring from "node:querystring";
import { describe, it } from "node:test";
import fc from "fast-check";
import { encodeCursor } from "./list-cursor.ts";
import { parseListQuery } from "./list-query.ts";
import type { ListSpec } from "./list-spec.ts";

const spec: ListSpec = {
  fields: {
    id: { sql: "pass.id", type: "id" },
    name: { sql: "pass.name", type: "text" },
    points: { sql: "pass.points", type: "number" },
    createdAt: { sql: "pass.created_at", type: "timestamp", nullable: false },
    enabled: { sql: "pass.enabled", type: "boolean", sortable: false },
    status: { sql: "pass.status", type: "text", operators: ["equals"] },
  },
  families: [
    {
      prefix: "identifiers.",
      resolve: (name) => (name === "none" ? undefined : { sql: `ident(${name})`, type: "text" }),
    },
  ],
  id: "id",
  paging: "always",
  defaultSort: [{ field: "createdAt", direction: "DESC" }],
};

function read(query: string) {
  return parseListQuery(querystring.parse(query), spec);
}

function list(query: string) {
  const result = read(query);
  assert.ok(result.ok, JSON.stringify(result));
  return result.list;
}

function errors(query: string) {
  const result = read(query);
  assert.ok(!result.ok, `accepted: ${query}`);
  return result.errors;
}

function filter(field: string, operator: string, value: string, at = 0): string {
  return querystring.stringify({
    [`filter[${at}].field`]: field,
    [`filter[${at}].operator`]: operator,
    [`filter[${at}].value`]: value,
  });
}

function sort(field: string, direction: string, at = 0): string {
  return `sortBy[${at}].field=${field}&sortBy[${at}].direction=${direction}`;
}

describe("parseListQuery", () => {
  it("has defaults for everything", () => {
    const { sorts, ...rest } = list("");
    const expected = {
      pageIndex: 0,
      pageSize: 20,
      isWhole: false,
      cursor: undefined,
      after: undefined,
      filters: [],
      isDefault: true,
    };
    assert.deepEqual(rest, expected);
    assert.deepEqual(
      sorts.map(({ field, direction }) => [field, direction]),
      [["createdAt", "DESC"]],
    );
  });

  it("reads the page", () => {
    const { pageIndex, pageSize } = list("pageIndex=3&pageSize=500");
    assert.deepEqual([pageIndex, pageSize], [3, 500]);
  });

  it("refuses a page that is no page", () => {
    for (const size of ["0", "501", "-1", "1.5", "", "ten", "1e2", "%2010"]) {
      assert.deepEqual(Object.keys(errors(`pageSize=${size}`)), ["pageSize"]);
    }
    for (const index of ["-1", "1000001", "99999999999999999999", ""]) {
      assert.deepEqual(errors(`pageIndex=${index}`), {
        pageIndex: ["must be a whole number from 0 to 1000000"],
      });
    }
  });

  it("reads filters in the order of their numbers, gaps allowed", () => {
    const { filters } = list(
      `${filter("points", "greaterThan", "1.50", 19)}&${filter("name", "contains", "a%", 2)}`,
    );
    assert.deepEqual(
      filters.map(({ field, operator, value }) => [field, operator, value]),
      [
        ["name", "contains", "a%"],
        ["points", "greaterThan", "1.50"],
      ],
    );
  });

  it("reads members of a family through its resolver", () => {
    const [first] = list(filter("identifiers.crm.id", "equals", "x")).filters;
    assert.equal(first?.column.sql, "ident(crm.id)");
    for (const name of ["", "none", "a'b", "a\\b", 'a"b', "a\u0000", "x".repeat(129), "a;b"]) {
      assert.ok("filter[0].field" in errors(filter(`identifiers.${name}`, "equals", "x")), name);
    }
  });

  it("reads exists with true or false for any type", () => {
    assert.equal(list(filter("points", "exists", "false")).filters[0]?.value, "false");
    assert.deepEqual(errors(filter("points", "exists", "1")), {
      "filter[0].value": ["must be 'true' or 'false'"],
    });
  });

  it("reads sorts and lets them replace the default", () => {
    const { sorts } = list(`${sort("name", "ASC", 1)}&${sort("points", "DESC", 0)}`);
    assert.deepEqual(
      sorts.map(({ field, direction }) => [field, direction]),
      [
        ["points", "DESC"],
        ["name", "ASC"],
      ],
    );
  });

  it("refuses fields that do not exist, those of Object.prototype too", () => {
    for (const name of ["nope", "constructor", "__proto__", "toString", "", "identifiers"]) {
      assert.deepEqual(errors(filter(name, "equals", "x")), {
        "filter[0].field": [
          "must be one of id, name, points, createdAt, enabled, status, identifiers.*",
        ],
      });
      assert.ok("sortBy[0].field" in errors(sort(name, "ASC")));
    }
  });

  it("refuses operators unknown to us or to the field", () => {
    assert.match(
      errors(filter("name", "like", "x"))["filter[0].operator"]?.[0] ?? "",
      /one of equals/,
    );
    const refused = [
      ["status", "contains", "a"],
      ["points", "contains", "1"],
      ["createdAt", "startsWith", "2024"],
      ["enabled", "greaterThan", "true"],
    ] as const;
    for (const [field, operator, value] of refused) {
      const [problem] = errors(filter(field, operator, value))["filter[0].operator"] ?? [];
      assert.match(problem ?? "", new RegExp(`must be one of .* for the field '${field}'`));
    }
  });

  it("refuses values that do not fit the field", () => {
    for (const [field, value] of [
      ["points", "many"],
      ["createdAt", "yesterday"],
      ["enabled", "maybe"],
      ["name", "a\u0000b"],
    ] as const) {
      assert.deepEqual(Object.keys(errors(filter(field, "equals", value))), ["filter[0].value"]);
    }
  });

  it("refuses to sort by the unsortable, twice by the same, or sideways", () => {
    assert.deepEqual(errors(sort("enabled", "ASC")), {
      "sortBy[0].field": ["must be one of id, name, points, createdAt, status, identifiers.*"],
    });
    assert.ok("sortBy[1].field" in errors(`${sort("name", "ASC")}&${sort("name", "DESC", 1)}`));
    for (const direction of ["asc", "UP", ""]) {
      assert.ok("sortBy[0].direction" in errors(sort("name", direction)));
    }
  });

  it("reports everything that is wrong, together and by parameter", () => {
    const query = [
      "pageSize=0&bogus=1&pageSize2=1&__proto__=x",
      "filter[0].field=name&filter[1].operator=equals&filter[1].value=x",
      "filter[20].field=name&filter[00].field=name&filter[0].colour=red&filter.field=x",
      "sortBy[0].field=nope&sortBy[5].field=name",
      "pageIndex=1&pageIndex=2&filter[3].value=a&filter[3].value=b",
    ].join("&");
    const found = errors(query);
    assert.deepEqual(
      Object.keys(found).sort(),
      [
        "__proto__",
        "bogus",
        "filter.field",
        "filter[00].field",
        "filter[0].colour",
        "filter[0].operator",
        "filter[0].value",
        "filter[1].field",
        "filter[20].field",
        "pageIndex",
        "pageSize",
        "pageSize2",
        "sortBy[0].field",
        "sortBy[5].field",
      ]
        .concat("filter[3].value")
        .sort(),
    );
    assert.deepEqual(found["filter[3].value"], ["must not be repeated"]);
    assert.deepEqual(found.pageIndex, ["must not be repeated"]);
    assert.deepEqual(found["filter[0].operator"], ["is required"]);
  });

  it("reports at most 50 parameters and never a long name in full", () => {
    const many = Array.from({ length: 500 }, (_, index) => `x${index}=1`).join("&");
    assert.equal(Object.keys(errors(many)).length, 50);
    const [name] = Object.keys(errors(`${"y".repeat(5000)}=1`));
    assert.ok((name ?? "").length < 80);
  });

  it("reads its own cursor, and refuses it beside pageIndex", () => {
    const query = `${filter("name", "equals", "x")}&${sort("points", "ASC")}`;
    const cursor = encodeCursor(list(query), spec, ["1.5", "p1"]);
    assert.deepEqual(list(`${query}&cursor=${cursor}`).after, ["1.5", "p1"]);
    assert.deepEqual(errors(`${query}&cursor=${cursor}&pageIndex=0`), {
      cursor: ["cannot be combined with pageIndex"],
    });
    assert.match(errors(`cursor=${cursor}`).cursor?.[0] ?? "", /another sort or filter/);
    assert.match(errors("cursor=").cursor?.[0] ?? "", /not a cursor/);
  });

  it("property: any query string whatever gives an answer, and a good list keeps its bounds", () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom("pageIndex", "pageSize", "cursor", "__proto__"),
      fc
        .tuple(
          fc.constantFrom("filter", "sortBy"),
          fc.nat(22),
          fc.constantFrom("field", "operator", "value", "direction"),
        )
        .map(([kind, at, part]) => `${kind}[${at}].${part}`),
    );
    const word = fc.constantFrom("name", "points", "equals", "exists", "true", "ASC", "DESC", "1");
    const value = fc.oneof(word, fc.string(), fc.array(word, { minLength: 2, maxLength: 2 }));
    fc.assert(
      fc.property(fc.dictionary(name, value), (query) => {
        const result = parseListQuery(query, spec);
        if (!result.ok) return assert.ok(Object.keys(result.errors).length > 0);
        assert.ok(result.list.pageSize >= 1 && result.list.pageSize <= 500);
        assert.ok(result.list.filters.length <= 20 && result.list.sorts.length <= 5);
        return undefined;
      }),
      { numRuns: 1000 },
    );
  });
});
