import { type Sql, sql } from "../../db/sql.ts";
import { type AfterRule, afterRule, isNullable, type OrderKey, orderKeys } from "./list-cursor.ts";
import type {
  FieldType,
  ListField,
  ListFilter,
  ListQuery,
  ListSort,
  ListSpec,
} from "./list-spec.ts";

const TYPE_NAMES: Readonly<Record<FieldType, Sql>> = {
  text: sql.raw("text"),
  id: sql.raw("text"),
  number: sql.raw("numeric"),
  integer: sql.raw("integer"),
  timestamp: sql.raw("timestamptz"),
  boolean: sql.raw("boolean"),
};

/** The filters of a list as one boolean expression. */
export function listConditions(list: ListQuery): Sql {
  if (list.filters.length === 0) return sql`true`;
  return sql.join(list.filters.map(filterCondition), " and ");
}

/** One part of a list, sorted. The list is its parts, one after the other. */
export type ListPart = {
  /** Joins that follow the list's table. */
  readonly join: Sql;
  /** Includes the condition for rows behind the cursor. */
  readonly where: Sql;
  readonly order: Sql;
  /** A column with the values for `encodeCursor`, as text, so that they stay exact. */
  readonly cursorValues: Sql;
};

/** Rows that already are in the order of a list, in other tables than the list's own. */
export type OrderedRows = {
  /** The ranges in ascending order; they may contain rows that the filters exclude. */
  readonly ranges: readonly OrderedRange[];
  /**
   * Whether rows that are in none of the ranges, because they have no sort value, can pass the
   * filters.
   */
  readonly hasOthers: boolean;
};

/** A range of a table that has an index on the value and the id. */
export type OrderedRange = {
  /** A join that follows the list's own table and adds no names except `value` and `id`. */
  readonly join: Sql;
  /** The value and the id, as columns of the joined table. */
  readonly value: Sql;
  readonly id: Sql;
};

/**
 * Splits a list into sorted parts. Every order ends with the id, so it is always the same.
 * Rows without a value in the first column come last in either direction, as a part of their own:
 * each part is one range of an index, which both together are not. Without `ordered`, rows are
 * sorted.
 */
export function listParts(
  list: ListQuery,
  spec: ListSpec,
  ordered?: OrderedRows,
): readonly ListPart[] {
  const keys = orderKeys(list, spec);
  const [first, ...rest] = keys;
  if (first === undefined || !isNullable(first, spec)) {
    return [partOf({ keys, after: list.after, spec })];
  }
  const isBehindValues = list.after?.[0] === null;
  const without = partOf({
    keys: rest,
    after: isBehindValues ? list.after?.slice(1) : undefined,
    spec,
    lacking: columnOf(first.column),
  });
  if (isBehindValues) return [without];
  if (ordered === undefined) {
    const part = partOf({ keys: [present(first), ...rest], after: list.after, spec });
    const where = sql`${columnOf(first.column)} is not null and ${part.where}`;
    return [{ ...part, where }, without];
  }
  const placed = ordered.ranges.map(({ join, value, id }) => {
    const others = rest.map((key) => (key.field === spec.id ? withColumn(key, id) : key));
    const valued = present(withColumn(first, value));
    return { ...partOf({ keys: [valued, ...others], after: list.after, spec }), join };
  });
  const inOrder = first.direction === "ASC" ? placed : placed.toReversed();
  return ordered.hasOthers ? [...inOrder, without] : inOrder;
}

/** One order of a whole list, which has no cursor. */
export function orderBy(sorts: readonly ListSort[], spec: ListSpec): Sql {
  return sql.join(
    orderKeys({ sorts }, spec).map((key) => orderOf(key, spec)),
    ", ",
  );
}

function withColumn(key: OrderKey, column: Sql): OrderKey {
  return { ...key, column: { ...key.column, sql: column } };
}

/** The same key for a part in which each row has a value. */
function present(key: OrderKey): OrderKey {
  return { ...key, column: { ...key.column, nullable: false } };
}

type PartInput = {
  readonly keys: readonly OrderKey[];
  readonly after: ListQuery["after"];
  readonly spec: ListSpec;
  /** Replaces the first column in the part whose rows have no value. */
  readonly lacking?: Sql;
};

function partOf({ keys, after, spec, lacking }: PartInput): ListPart {
  const order = keys.map((key) => orderOf(key, spec));
  const values = keys.map(({ column }) => sql`${columnOf(column)}::text`);
  const behind = cursorCondition(keys, after, spec);
  return {
    join: sql``,
    where: lacking === undefined ? behind : sql`${lacking} is null and ${behind}`,
    order: sql.join(order, ", "),
    cursorValues: sql`array[${sql.join(lacking === undefined ? values : [sql`null`, ...values], ", ")}]`,
  };
}

function orderOf(key: OrderKey, spec: ListSpec): Sql {
  const column = columnOf(key.column);
  if (key.direction === "ASC") return sql`${column} asc`;
  return isNullable(key, spec) ? sql`${column} desc nulls last` : sql`${column} desc`;
}

/** The condition for rows behind the cursor; true without a cursor. */
function cursorCondition(
  keys: readonly OrderKey[],
  after: ListQuery["after"],
  spec: ListSpec,
): Sql {
  if (after === undefined) return sql`true`;
  const bound = keys.map(({ column }, index) => bind(column, after[index] ?? null));
  const columns = keys.map(({ column }) => columnOf(column));
  const isDescending = keys[0]?.direction === "DESC";
  if (isRowComparable(keys, spec)) {
    // A comparison of whole rows is one index range; the general form below is only a filter.
    const [left, right] = [sql.join(columns, ", "), sql.join(bound, ", ")];
    return isDescending ? sql`(${left}) < (${right})` : sql`(${left}) > (${right})`;
  }
  const rule = renderRule(afterRule(keys, after, spec), columns, bound);
  if (keys[0] === undefined || isNullable(keys[0], spec)) return rule;
  // The added comparison is weaker than the rule, but an index can start at it.
  return isDescending
    ? sql`${columns[0]} <= ${bound[0]} and ${rule}`
    : sql`${columns[0]} >= ${bound[0]} and ${rule}`;
}

function isRowComparable(keys: readonly OrderKey[], spec: ListSpec): boolean {
  const direction = keys[0]?.direction;
  return keys.every((key) => key.direction === direction && !isNullable(key, spec));
}

function renderRule(rule: AfterRule, columns: readonly Sql[], bound: readonly Sql[]): Sql {
  switch (rule.kind) {
    case "never":
      return sql`false`;
    case "any":
    case "all": {
      const parts = rule.rules.map((part) => renderRule(part, columns, bound));
      return sql`(${sql.join(parts, rule.kind === "any" ? " or " : " and ")})`;
    }
    case "null":
      return sql`${columns[rule.key]} is null`;
    case "equal":
      return sql`${columns[rule.key]} = ${bound[rule.key]}`;
    case "greater":
      return sql`${columns[rule.key]} > ${bound[rule.key]}`;
    case "less":
      return sql`${columns[rule.key]} < ${bound[rule.key]}`;
  }
}

/** One filter as a boolean expression. */
export function filterCondition({ operator, value, column }: Omit<ListFilter, "field">): Sql {
  const own = column.condition?.(operator, value);
  if (own !== undefined) return own;
  const expression = columnOf(column);
  switch (operator) {
    case "exists":
      return value === "true" ? sql`${expression} is not null` : sql`${expression} is null`;
    case "contains":
      return sql`${expression} like ${`%${escapeLike(value)}%`}::text`;
    case "startsWith":
      return sql`${expression} like ${`${escapeLike(value)}%`}::text`;
    case "lessThan":
      return sql`${expression} < ${bind(column, value)}`;
    default:
      return column.type === "timestamp"
        ? timestampCondition(operator, expression, value)
        : plainCondition(operator, expression, bind(column, value));
  }
}

type Comparison = "equals" | "notEquals" | "greaterThan";

/** A row without a value differs from every value, so `notEquals` finds it. */
function plainCondition(operator: Comparison, expression: Sql, value: Sql): Sql {
  if (operator === "equals") return sql`${expression} = ${value}`;
  if (operator === "notEquals") return sql`${expression} is distinct from ${value}`;
  return sql`${expression} > ${value}`;
}

/**
 * Answers show milliseconds, and the database keeps microseconds. A time copied from an answer must
 * find its own row by `equals` and must not find it by `greaterThan`, so a filter compares with the
 * whole millisecond.
 */
function timestampCondition(operator: Comparison, expression: Sql, value: string): Sql {
  const start = sql`${value}::timestamptz`;
  const end = sql`${value}::timestamptz + interval '1 millisecond'`;
  if (operator === "greaterThan") return sql`${expression} >= ${end}`;
  if (operator === "equals") return sql`(${expression} >= ${start} and ${expression} < ${end})`;
  return sql`(${expression} < ${start} or ${expression} >= ${end} or ${expression} is null)`;
}

function bind(column: ListField, value: string | null): Sql {
  return sql`${value}::${TYPE_NAMES[column.type]}`;
}

function columnOf(column: ListField): Sql {
  return sql`(${typeof column.sql === "string" ? sql.raw(column.sql) : column.sql})`;
}

/** Escapes the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/**
 * `startsWith` as a range that an index of the collation "C" can use: from the prefix to the first
 * text after all texts that begin with it.
 */
export function prefixRange(column: Sql, prefix: string): Sql {
  const from = sql`${column} >= ${prefix}::text`;
  const end = endOfPrefix(prefix);
  return end === undefined ? from : sql`${from} and ${column} < ${end}::text`;
}

const LAST_CHARACTER = 0x10ffff;

/** The prefix with its last character replaced by the next one; undefined if there is none. */
function endOfPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  while (characters.length > 0) {
    const last = characters.pop()?.codePointAt(0) ?? LAST_CHARACTER;
    if (last === LAST_CHARACTER) continue;
    // Surrogates (U+D800 to U+DFFF) are skipped, because they are not characters.
    const next = last === 0xd7ff ? 0xe000 : last + 1;
    return characters.join("") + String.fromCodePoint(next);
  }
  return undefined;
}
