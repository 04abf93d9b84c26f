import { hash } from "node:crypto";
import type { ListField, ListQuery, ListSpec, SortDirection } from "./list-spec.ts";
import { isDatabaseTime, isInteger, isStorableText } from "./list-values.ts";

export type CursorValue = string | number | boolean | Date | null;
export type DecodedCursor =
  | { ok: true; values: readonly (string | null)[] }
  | { ok: false; problem: string };

/** One column that a list is sorted by. */
export type OrderKey = { field: string; direction: SortDirection; column: ListField };

/**
 * The condition that a row comes after a given row, as data: one function renders it to SQL, and
 * tests evaluate it on plain rows. Rows without a value come last in either direction.
 */
export type AfterRule =
  | { kind: "never" }
  | { kind: "equal" | "greater" | "less" | "null"; key: number }
  | { kind: "any" | "all"; rules: readonly AfterRule[] };

const CURSOR_CHARS_MAX = 8192;
/** Enough for any number in the range of doubles, with all digits as the database writes them. */
const NUMBER_CHARS_MAX = 700;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$/;
const UNREADABLE = "is not a cursor of this list";
const FOREIGN = "belongs to another sort or filter: start again without it";

/**
 * The columns that a list is sorted by. The id comes last, in the direction of the column
 * before it, so that one index can be read in either direction. Columns after the id are dropped,
 * because they cannot change the order.
 */
export function orderKeys(list: Pick<ListQuery, "sorts">, spec: ListSpec): readonly OrderKey[] {
  const idAt = list.sorts.findIndex(({ field }) => field === spec.id);
  if (idAt !== -1) return list.sorts.slice(0, idAt + 1);
  const column = spec.fields[spec.id];
  if (column === undefined) throw new TypeError(`The list has no id field '${spec.id}'.`);
  const direction = list.sorts.at(-1)?.direction ?? "ASC";
  return [...list.sorts, { field: spec.id, direction, column }];
}

export function isNullable(key: OrderKey, spec: ListSpec): boolean {
  return key.field !== spec.id && key.column.nullable !== false;
}

/**
 * The condition that a row comes after the row with the given values, for any mix of directions.
 */
export function afterRule(
  keys: readonly OrderKey[],
  values: readonly (string | null)[],
  spec: ListSpec,
): AfterRule {
  return keys.reduceRight<AfterRule>(
    (rest, key, index) => {
      const isNull = (values[index] ?? null) === null;
      const beyond = beyondRule(key, index, isNull, spec);
      if (rest.kind === "never") return beyond;
      const tied: AfterRule = {
        kind: "all",
        rules: [{ kind: isNull ? "null" : "equal", key: index }, rest],
      };
      return beyond.kind === "never" ? tied : { kind: "any", rules: [beyond, tied] };
    },
    { kind: "never" },
  );
}

function beyondRule(key: OrderKey, index: number, isNull: boolean, spec: ListSpec): AfterRule {
  if (isNull) return { kind: "never" };
  const beyond: AfterRule = { kind: key.direction === "DESC" ? "less" : "greater", key: index };
  if (!isNullable(key, spec)) return beyond;
  return { kind: "any", rules: [beyond, { kind: "null", key: index }] };
}

/**
 * Makes a cursor that points behind a row, from the row's values in sort order. Take the values
 * from `cursorValues` of the query's parts: a JavaScript Date has lost the microseconds in which
 * two rows may differ, and a JavaScript number may have lost digits.
 */
export function encodeCursor(
  list: ListQuery,
  spec: ListSpec,
  values: readonly CursorValue[],
): string {
  const keys = orderKeys(list, spec);
  if (values.length !== keys.length) {
    throw new TypeError(`A cursor of this list has ${keys.length} values, not ${values.length}.`);
  }
  return Buffer.from(JSON.stringify([bindingOf(list, keys), ...values.map(toText)])).toString(
    "base64url",
  );
}

/** Returns values that the casts in SQL accept, or a problem to report, whatever the text is. */
export function decodeCursor(cursor: string, list: ListQuery, spec: ListSpec): DecodedCursor {
  const parts = readParts(cursor);
  if (parts === undefined) return { ok: false, problem: UNREADABLE };
  const keys = orderKeys(list, spec);
  const [binding, ...values] = parts;
  if (binding !== bindingOf(list, keys)) return { ok: false, problem: FOREIGN };
  const areValid =
    values.length === keys.length &&
    keys.every((key, index) => isValidValue(key, values[index], spec));
  return areValid ? { ok: true, values } : { ok: false, problem: UNREADABLE };
}

function readParts(cursor: string): (string | null)[] | undefined {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[\w-]+$/.test(cursor)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(parts) && parts.every(isTextOrNull) ? parts : undefined;
  } catch {
    return undefined;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isValidValue(key: OrderKey, value: string | null | undefined, spec: ListSpec): boolean {
  if (value === undefined) return false;
  if (value === null) return isNullable(key, spec);
  switch (key.column.type) {
    case "number":
      return isNumberInRange(value);
    case "integer":
      return isInteger(value);
    case "timestamp":
      return isDatabaseTime(value);
    case "boolean":
      return value === "true" || value === "false";
    default:
      return isStorableText(value);
  }
}

/**
 * Whether the number fits into a double: with a larger one, the comparison in the database would
 * fail.
 */
function isNumberInRange(text: string): boolean {
  if (text.length > NUMBER_CHARS_MAX || !NUMBER.test(text)) return false;
  const value = Number(text);
  return Number.isFinite(value) && (value !== 0 || /^[-0.]+(?:[eE]|$)/.test(text));
}

function toText(value: CursorValue): string | null {
  if (value === null || typeof value === "string") return value;
  return value instanceof Date ? value.toISOString() : String(value);
}

/**
 * A hash of the list's filters and order. It is no secret and no signature: it only tells an honest
 * caller that the cursor belongs to another list.
 */
function bindingOf(list: ListQuery, keys: readonly OrderKey[]): string {
  const shape = [
    keys.map(({ field, direction }) => [field, direction]),
    list.filters.map(({ field, operator, value }) => [field, operator, value]),
  ];
  return hash("sha256", JSON.stringify(shape), "base64url").slice(0, 12);
}

const PLACES: readonly string[] = ["pageIndex", "cursor"];

/**
 * The value of a Link header for the next page: the same request with the cursor, without the
 * parameters that say where the present page begins.
 */
export function nextLink(requestUrl: string, cursor: string, places = PLACES): string {
  const [address = ""] = requestUrl.split("#", 1);
  const at = address.indexOf("?");
  const path = at === -1 ? address : address.slice(0, at);
  const kept =
    at === -1
      ? []
      : address
          .slice(at + 1)
          .split("&")
          .filter((pair) => isKeptParameter(pair, places));
  const url = `${path}?${[...kept, `cursor=${encodeURIComponent(cursor)}`].join("&")}`;
  // Between < and >, only visible ASCII characters are allowed, and no bracket that would end the
  // link.
  const safe = url.toWellFormed().replace(/[^!-~]|[<>"\\^`{|}]/gu, encodeURIComponent);
  return `<${safe}>; rel="next"`;
}

function isKeptParameter(pair: string, places: readonly string[]): boolean {
  const [name = ""] = pair.split("=", 1);
  const plainName = new URLSearchParams(`${name}=`).keys().next().value;
  return pair !== "" && !places.includes(plainName ?? "");
}
