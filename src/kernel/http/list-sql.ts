import { type Sql, sql } from "../db/sql.ts";
import { type AfterRule, afterRule, isNullable, type OrderKey, orderKeys } from "./list-cursor.ts";
import type { FieldType, ListField, ListFilter, ListQuery, ListSpec } from "./list-query.ts";

const TYPE_NAMES: Readonly<Record<FieldType, Sql>> = {
  text: sql.raw("text"),
  id: sql.raw("text"),
  number: sql.raw("numeric"),
  timestamp: sql.raw("timestamptz"),
  boolean: sql.raw("boolean"),
  json: sql.raw("jsonb"),
};

/** The filters of a list as one boolean expression. */
export function listConditions(list: ListQuery, _spec: ListSpec): Sql {
  if (list.filters.length === 0) return sql`true`;
  return sql.join(list.filters.map(filterCondition), " and ");
}

/** What follows `order by`. Ends with the unique id, so the order of a list is never left to chance. */
export function listOrder(list: ListQuery, spec: ListSpec): Sql {
  const keys = orderKeys(list, spec).map(({ column, direction }) =>
    direction === "ASC" ? sql`${columnOf(column)} asc` : sql`${columnOf(column)} desc`,
  );
  return sql.join(keys, ", ");
}

/** To select in a list query: the values `encodeCursor` takes, exact because they never leave text. */
export function cursorValues(list: ListQuery, spec: ListSpec): Sql {
  const values = orderKeys(list, spec).map(({ column }) => sql`${columnOf(column)}::text`);
  return sql`array[${sql.join(values, ", ")}]`;
}

/** The rows behind the cursor; all rows without one. */
export function cursorCondition(list: ListQuery, spec: ListSpec): Sql {
  const { after } = list;
  if (after === undefined) return sql`true`;
  const keys = orderKeys(list, spec);
  const bound = keys.map(({ column }, index) => bind(column, after[index] ?? null));
  const columns = keys.map(({ column }) => columnOf(column));
  if (isRowComparable(keys, spec)) {
    // One comparison of rows is one index range; the general form below is a filter.
    const [left, right] = [sql.join(columns, ", "), sql.join(bound, ", ")];
    return keys[0]?.direction === "DESC"
      ? sql`(${left}) < (${right})`
      : sql`(${left}) > (${right})`;
  }
  return renderRule(afterRule(keys, after, spec), columns, bound);
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
    case "not-null":
      return sql`${columns[rule.key]} is not null`;
    case "equal":
      return sql`${columns[rule.key]} = ${bound[rule.key]}`;
    case "greater":
      return sql`${columns[rule.key]} > ${bound[rule.key]}`;
    case "less":
      return sql`${columns[rule.key]} < ${bound[rule.key]}`;
  }
}

function filterCondition({ operator, value, column }: ListFilter): Sql {
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

/** A row without a value is not equal to any value, so `notEquals` finds it. */
function plainCondition(operator: Comparison, expression: Sql, value: Sql): Sql {
  if (operator === "equals") return sql`${expression} = ${value}`;
  if (operator === "notEquals") return sql`${expression} is distinct from ${value}`;
  return sql`${expression} > ${value}`;
}

/**
 * Callers see milliseconds, the database keeps microseconds. A time read from an answer must find
 * its own row by `equals` and not by `greaterThan`, so a millisecond counts as a whole.
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

/** Makes the wildcards of LIKE ordinary characters. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
