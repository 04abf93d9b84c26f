import type { FieldType, FilterOperator, ListField } from "./list-spec.ts";

const TEXT_CHARS_MAX = 1000;
const DECIMAL = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
const TIMESTAMP =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?))?$/;

export type ReadValue = { ok: true; value: string } | { ok: false; problem: string };

/** Reads the value that a filter compares a field with. */
export function readOperand(
  { type, values }: Pick<ListField, "type" | "values">,
  operator: FilterOperator,
  input: string,
): ReadValue {
  if (operator === "exists") return readBoolean(input);
  return values === undefined ? readFilterValue(type, input) : readOneOf(values, operator, input);
}

/**
 * A filter that can never match is refused: the caller would take the empty list for a true answer.
 */
function readOneOf(values: readonly string[], operator: FilterOperator, input: string): ReadValue {
  const all = values.map((value) => `'${value}'`).join(", ");
  if (operator === "contains") {
    const isPart = values.some((value) => value.includes(input));
    return isPart ? { ok: true, value: input } : refuse(`must be a part of one of ${all}`);
  }
  if (operator === "startsWith") {
    const isBeginning = values.some((value) => value.startsWith(input));
    return isBeginning
      ? { ok: true, value: input }
      : refuse(`must be the beginning of one of ${all}`);
  }
  return values.includes(input) ? { ok: true, value: input } : refuse(`must be one of ${all}`);
}

/**
 * Reads the value of a filter into the text that is bound in SQL. It stays text, because a decimal
 * must reach the database with all its digits. The cast in SQL accepts whatever passes here: a bad
 * value gives a 400, never a database error.
 */
export function readFilterValue(type: FieldType, input: string): ReadValue {
  switch (type) {
    case "number":
      return DECIMAL.test(input)
        ? { ok: true, value: input }
        : refuse("must be a decimal number of at most 15 digits before and after the point");
    case "integer":
      return isInteger(input) ? { ok: true, value: input } : refuse("must be a whole number");
    case "timestamp":
      return readTimestamp(input);
    case "boolean":
      return readBoolean(input);
    default:
      return readText(input);
  }
}

/** Whether an `integer` of the database can hold it. */
export function isInteger(input: string): boolean {
  return /^-?[0-9]{1,10}$/.test(input) && Number(input) === (Number(input) | 0);
}

function readBoolean(input: string): ReadValue {
  return input === "true" || input === "false"
    ? { ok: true, value: input }
    : refuse("must be 'true' or 'false'");
}

function readText(input: string): ReadValue {
  if (input.length > TEXT_CHARS_MAX) {
    return refuse(`must be at most ${TEXT_CHARS_MAX} characters long`);
  }
  return isStorableText(input)
    ? { ok: true, value: input }
    : refuse("must not contain a NUL character or half of a surrogate pair");
}

/** PostgreSQL text can hold neither NUL nor lone surrogates. */
export function isStorableText(input: string): boolean {
  return !input.includes("\u0000") && input.isWellFormed();
}

function readTimestamp(input: string): ReadValue {
  // A '+' before the offset that was not percent-encoded arrives as a space.
  const milliseconds = parseTimestamp(input.replace(/ (?=[0-9]{2}:?[0-9]{2}$)/, "+"));
  return milliseconds === undefined
    ? refuse("must be an ISO 8601 date, or a date and time with its offset from UTC")
    : { ok: true, value: new Date(milliseconds).toISOString() };
}

/**
 * The milliseconds since 1970 of a date, or of a date and time with offset; fractions of a
 * millisecond are cut off. Date.parse alone would read 30 February as a day in March, and a time
 * without offset in the time zone of this machine.
 */
export function parseTimestamp(input: string): number | undefined {
  const match = TIMESTAMP.exec(input);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  if ((hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return undefined;
  const milliseconds = Math.trunc(Number(`0${match[7] ?? ""}`) * 1000 + 1e-6);
  local.setUTCHours(hour ?? 0, minute ?? 0, second ?? 0, milliseconds);
  const offset = offsetMinutes(match[8] ?? "Z");
  if (offset === undefined) return undefined;
  const utc = local.getTime() - offset * 60_000;
  return utc >= EARLIEST && utc <= LATEST ? utc : undefined;
}

const EARLIEST = Date.parse("0001-01-01T00:00:00.000Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Whether PostgreSQL can read this time as it is written, with all its digits. It takes no offset beyond
 * 15:59, while RFC 3339 has them up to 23:59.
 */
export function isDatabaseTime(input: string): boolean {
  return parseTimestamp(input) !== undefined && !FAR_OFFSET.test(input);
}

const FAR_OFFSET = /:[0-9]{2}(?:\.[0-9]+)?[+-](?:1[6-9]|2[0-9])/;

function offsetMinutes(offset: string): number | undefined {
  if (offset === "Z" || offset === "z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = offset.length > 3 ? Number(offset.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

function refuse(problem: string): ReadValue {
  return { ok: false, problem };
}
