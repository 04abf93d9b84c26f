import assert from "node:assert/strict";
import { after, it } from "node:test";
import fc from "fast-check";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listPage } from "#kernel/http/lists/list-page.ts";
import { parseListQuery } from "#kernel/http/lists/list-query.ts";
import { FILTER_OPERATORS } from "#kernel/http/lists/list-spec.ts";
import { listWords } from "#test/support/list-words.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { passColumns } from "../pass.repository.ts";
import type { Pass } from "../pass.schema.ts";
import { orderedBy } from "./pass-candidates.repository.ts";
import { PASS_LIST } from "./pass-list.repository.ts";

/**
 * Compares lists of passes with plain arrays that are filtered and sorted as the API documents it.
 */

const api = await startApi({ after });
await seedPassTenant(api, "acme");
const key = await api.seed.key("acme", "Pass.Read");

type Value =
  | string
  | number
  | boolean
  | null
  | readonly number[]
  | { readonly [name: string]: Value };
type Document = Readonly<Record<string, Value>>;
type Row = {
  readonly id: string;
  readonly data: Document;
  readonly metadata: Document;
  readonly identifiers: Readonly<Record<string, string>>;
  readonly apple: string;
};

const LONG = "long ".repeat(50);
const known = fc.constantFrom(
  "5",
  "50",
  "true",
  "Zoe",
  "zoe",
  "Élan",
  "😀",
  "\ufffd",
  "x".repeat(190),
);
const text = fc.oneof(
  known,
  fc.constantFrom("", LONG, `${LONG}x`, "y".repeat(199), "y".repeat(200), "y".repeat(201)),
);
const number = fc.constantFrom(0, 5, -5, -5.5, 5.25, 50, 1e14, -1e14, 0.001, 0.1 + 0.2);
/** Numbers that the database writes in another form, so they can only be used for sorting. */
const extreme = fc.constantFrom(5e-324, -5e-324, 1.7976931348623157e308, -1.7e308, 1e-7, 1e21);
const plain = fc.oneof(text, number, fc.boolean());
const anyValue = fc.oneof(
  { weight: 6, arbitrary: plain },
  fc.constantFrom<Value>(null, [5, 6]),
  fc.record({ b: plain }),
);
const documentOf = (value: fc.Arbitrary<Value>) =>
  fc.dictionary(fc.constantFrom("a", "a.b", "c"), value, { maxKeys: 3 });

function rowsOf(value: fc.Arbitrary<Value>): fc.Arbitrary<Row[]> {
  const row = fc.record({
    data: documentOf(value),
    metadata: documentOf(value),
    identifiers: fc.dictionary(fc.constantFrom("crm.id", "till.no"), known, { maxKeys: 2 }),
    apple: fc.constantFrom("installed", "uninstalled", "none"),
  });
  return fc
    .array(row, { minLength: 1, maxLength: 12 })
    .map((rows) =>
      rows.map((made, at) => ({ id: `ps_${String(100 + at).padStart(24, "0")}`, ...made })),
    );
}

const FIELDS = [
  "id",
  "apple",
  "additionalData.a",
  "additionalData.a.b",
  "metadata.a",
  "metadata.c",
  "identifiers.crm.id",
];

function valueIn(row: Row, field: string): Value | undefined {
  if (field === "id" || field === "apple") return row[field];
  const [family = "", ...names] = field.split(".");
  const name = names.join(".");
  if (family === "identifiers") return row.identifiers[name];
  const document = family === "metadata" ? row.metadata : row.data;
  if (Object.hasOwn(document, name)) return document[name];
  const [outer = "", inner = ""] = names;
  const object = document[outer];
  const isObject = typeof object === "object" && object !== null && !Array.isArray(object);
  return isObject && inner !== "" ? (object as Document)[inner] : undefined;
}

/** The text of a value as the database writes it. */
function textOf(value: Value | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value).replace(/([:,])/g, "$1 ");
}

function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

const KINDS = ["string", "number", "boolean"];

/**
 * The part of a value that is used for sorting: the beginning of a long text, nothing of a
 * document.
 */
function sortedValue(row: Row, field: string): string | number | boolean | undefined {
  const value = valueIn(row, field);
  if (field === "apple" && value === "none") return undefined;
  if (typeof value === "string")
    return field.startsWith("identifiers.") ? value : [...value].slice(0, 200).join("");
  return typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

function compareValues(left: string | number | boolean, right: string | number | boolean): number {
  const kinds = KINDS.indexOf(typeof left) - KINDS.indexOf(typeof right);
  if (kinds !== 0) return kinds;
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right);
  return Number(left) - Number(right);
}

type Sort = { readonly field: string; readonly direction: "ASC" | "DESC" };

function compareRows(sorts: readonly Sort[], left: Row, right: Row): number {
  for (const { field, direction } of sorts) {
    const [a, b] = [sortedValue(left, field), sortedValue(right, field)];
    if (a === undefined && b === undefined) continue;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    const order = compareValues(a, b);
    if (order !== 0) return direction === "ASC" ? order : -order;
  }
  return compareTexts(left.id, right.id) * (sorts.at(-1)?.direction === "ASC" ? 1 : -1);
}

type Filter = { readonly field: string; readonly operator: string; readonly value: string };

function matches(row: Row, { field, operator, value }: Filter): boolean {
  const found = valueIn(row, field);
  const written = textOf(found);
  switch (operator) {
    case "equals":
      return written === value;
    case "notEquals":
      return written !== value;
    case "contains":
      return written?.includes(value) ?? false;
    case "startsWith":
      return written?.startsWith(value) ?? false;
    case "exists":
      return (written !== undefined) === (value === "true");
    default: {
      const sign = operator === "greaterThan" ? 1 : -1;
      if (typeof found === "string") return Math.sign(compareTexts(found, value)) === sign;
      const isNumber = typeof found === "number" && /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/.test(value);
      return isNumber && Math.sign(found - Number(value)) === sign;
    }
  }
}

const NO_DEVICE = { installedAt: null, uninstalledAt: null, devices: 0 };

async function write(rows: readonly Row[]): Promise<void> {
  await api.sql("delete from pass_identifier");
  await api.sql("delete from pass");
  const documents = rows.map(({ apple, ...row }) => ({
    ...row,
    providers: apple === "none" ? {} : { apple: { ...NO_DEVICE, status: apple } },
  }));
  const values = [JSON.stringify(documents)];
  await api.sql(
    `insert into pass (tenant_id, id, pass_type, status, identifiers, data, metadata, secret,
                       providers, created_at, updated_at)
     select 'acme', id, 'loyalty', 'active', identifiers, data, metadata, 's', providers, now(), now()
       from jsonb_to_recordset($1) as row (id text, identifiers jsonb, data jsonb, metadata jsonb,
                                           providers jsonb)`,
    values,
  );
  await api.sql(
    `insert into pass_identifier (tenant_id, name, value, pass_id, pass_type, is_unique)
     select 'acme', named.key, named.value, row.id, 'loyalty', false
       from jsonb_to_recordset($1) as row (id text, identifiers jsonb),
            jsonb_each_text(row.identifiers) as named`,
    values,
  );
}

async function page(words: Record<string, string>) {
  const res = await api.get(`/api/acme/passes?${new URLSearchParams(words)}`, { key });
  assert.equal(res.status, 200, res.text);
  return {
    ids: res.body.map(({ id }: { id: string }) => id) as string[],
    next: /cursor=([\w-]+)/.exec(res.headers.get("link") ?? "")?.[1],
    total: Number(res.headers.get("x-pagination-total")),
  };
}

const direction = fc.constantFrom<Sort["direction"]>("ASC", "DESC");
const sorts = fc.uniqueArray(fc.record({ field: fc.constantFrom(...FIELDS), direction }), {
  minLength: 1,
  maxLength: 2,
  selector: ({ field }) => field,
});

const compared = fc.record({
  field: fc.constantFrom(...FIELDS),
  operator: fc.constantFrom(...FILTER_OPERATORS.filter((operator) => operator !== "exists")),
  value: fc.oneof(
    plain.map(String),
    fc.constantFrom(
      "0.3",
      "0.300000000000000",
      "t",
      "fa",
      "-",
      "0",
      "{",
      "[",
      "long",
      `ps_${"0".repeat(22)}10`,
    ),
  ),
});
const existing = fc.record({
  field: fc.constantFrom(...FIELDS),
  operator: fc.constant("exists"),
  value: fc.constantFrom("true", "false"),
});
const filter = fc.oneof({ weight: 6, arbitrary: compared }, existing);

const WALLET_STATES = ["installed", "uninstalled", "none"];
const PARTS_OF_STATES = [...WALLET_STATES, "in", "un", "n", "uninst", ""];

/**
 * A filter by a wallet state that does not exist is refused, so it is replaced by a possible one.
 */
function possible(one: Filter): Filter {
  if (one.field !== "apple" || one.operator === "exists") return one;
  const isPart = one.operator === "startsWith" || one.operator === "contains";
  const states = isPart ? PARTS_OF_STATES : WALLET_STATES;
  return { ...one, value: states[one.value.length % states.length] ?? "none" };
}

function wordsOf(filters: readonly Filter[], order: readonly Sort[]): Record<string, string> {
  return listWords(
    filters.map(({ field, operator, value }) => [field, operator, value]),
    order.map(({ field, direction: towards }) => [field, towards]),
  );
}

it("property: in any order, by cursor and by page number, each pass has the place of its value", async () => {
  const rows = rowsOf(fc.oneof(anyValue, extreme));
  await fc.assert(
    fc.asyncProperty(rows, sorts, fc.integer({ min: 1, max: 5 }), async (made, order, size) => {
      await write(made);
      const words = { ...wordsOf([], order), pageSize: String(size) };
      const expected = made.toSorted((a, b) => compareRows(order, a, b)).map(({ id }) => id);
      const walked: string[] = [];
      let next: string | undefined;
      do {
        const part = await page(next === undefined ? words : { ...words, cursor: next });
        walked.push(...part.ids);
        next = part.next;
      } while (next !== undefined && walked.length <= made.length);
      assert.deepEqual(walked, expected);
      const second = await page({ ...words, pageIndex: "1" });
      assert.deepEqual(second.ids, expected.slice(size, 2 * size));
    }),
    { numRuns: 150 },
  );
});

it("property: any filter finds those, and only those, that its words are true of", async () => {
  await fc.assert(
    fc.asyncProperty(
      rowsOf(anyValue),
      fc.array(filter, { minLength: 6, maxLength: 6 }),
      async (made, filters) => {
        await write(made);
        for (const one of filters.map(possible)) {
          const { ids, total } = await page(wordsOf([one], []));
          const expected = made.filter((row) => matches(row, one)).map(({ id }) => id);
          assert.deepEqual(ids, expected.toReversed(), JSON.stringify(one));
          assert.equal(total, expected.length, JSON.stringify(one));
        }
      },
    ),
    { numRuns: 100 },
  );
});

it("property: rows that are many or few, or change from one to the other, keep their places", async () => {
  const reader = {
    read: <Row>(statement: Sql<Row>) => api.runtime.db.read("acme", statement),
  };
  const field = fc.constantFrom(...FIELDS);
  const filters = fc.tuple(field, fc.array(filter, { minLength: 1, maxLength: 3 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(
      rowsOf(anyValue),
      filters,
      sorts,
      fc.infiniteStream(fc.boolean()),
      async (made, [name, chosen, isOneField], order, fewAtTimes) => {
        await write(made);
        // Mostly filters on the sorted field, because such a filter decides which ranges are read.
        const asked = chosen.map((one) => possible(isOneField ? { ...one, field: name } : one));
        const sorted = isOneField
          ? [{ field: name, direction: order[0]?.direction ?? "ASC" }]
          : order;
        const fits = (row: Row) => asked.every((one) => matches(row, one));
        const expected = made
          .filter(fits)
          .toSorted((a, b) => compareRows(sorted, a, b))
          .map(({ id }) => id);
        const found: string[] = [];
        const words = { ...wordsOf(asked, sorted), pageSize: "2" };
        let next: string | undefined;
        do {
          const parsed = parseListQuery(
            next === undefined ? words : { ...words, cursor: next },
            PASS_LIST,
          );
          assert.ok(parsed.ok, JSON.stringify(parsed));
          const answer = await listPage<Pass>(
            reader,
            {
              columns: passColumns,
              from: sql`pass`,
              where: sql`pass.tenant_id = ${"acme"}`,
              ordered: fewAtTimes.next().value ? undefined : orderedBy(parsed.list),
              spec: PASS_LIST,
              present: ({ id }) => id,
            },
            { list: parsed.list, url: "/" },
          );
          found.push(...(answer.body as string[]));
          next = /cursor=([\w-]+)/.exec(answer.options.headers?.link ?? "")?.[1];
        } while (next !== undefined && found.length <= made.length);
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: 300 },
  );
});
