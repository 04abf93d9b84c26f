import { type Decimal, parseDecimal } from "#kernel/decimal.ts";
import { digitsOf, inexactness } from "#kernel/exact-number.ts";
import { quoteExcerpt } from "#kernel/excerpt.ts";
import { parseStrictText } from "#kernel/http/json/strict-json.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { type DataSchema, parseDate } from "#src/templates/language/public.ts";

/** How values are written in a file, and where the tenant is. */
export type Writing = { readonly hasDecimalComma: boolean; readonly timeZone: string };

/** The value, or what is wrong with it, as the end of a sentence that names the column. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

const fine = <Value>(value: Value): Reading<Value> => ({ ok: true, value });
const wrong = (value: unknown, problem: string): Reading<never> => ({
  ok: false,
  problem: `${shown(value)} ${problem}`,
});

function shown(value: unknown): string {
  return quoteExcerpt(textOf(value) ?? JSON.stringify(value));
}

/** Texts and numbers as text; undefined for anything else. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : digitsOf(value);
}

/** Spreadsheets shorten long numbers to this form, and the digits are lost for good. */
const SHORTENED = /^\d[.,]\d+E\+\d{1,3}$/i;

export function readText(value: unknown, charsMax: number): Reading<string> {
  const text = textOf(value);
  if (text === undefined) return wrong(value, "is no text");
  if (text.length > charsMax) return wrong(text, `is longer than ${charsMax} characters`);
  return fine(text);
}

export function readIdentifier(value: unknown, charsMax: number): Reading<string> {
  if (typeof value === "string" && SHORTENED.test(value)) {
    return wrong(
      value,
      "is a number that a spreadsheet has shortened. Format the column as text and export the file again",
    );
  }
  return readText(value, charsMax);
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const NUMBER_WITH_COMMA = /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/;

/** A number as JavaScript and JSON write it; undefined if the text is none. */
function digitsIn(text: string, { hasDecimalComma }: Writing): string | undefined {
  if (!hasDecimalComma) return NUMBER.test(text) ? text.replace("+", "") : undefined;
  if (!NUMBER_WITH_COMMA.test(text)) return undefined;
  return text.replace("+", "").replaceAll(".", "").replace(",", ".");
}

function notNumber(value: unknown, { hasDecimalComma }: Writing): Reading<never> {
  if (!hasDecimalComma && typeof value === "string" && NUMBER_WITH_COMMA.test(value)) {
    const hint = "Write it as 1234.5, or set 'decimalComma: true' in server/import.yml";
    return wrong(value, `is not a number with a decimal point. ${hint}`);
  }
  return wrong(value, `is not a number such as ${hasDecimalComma ? "1234,5" : "1234.5"}`);
}

export function readValue(value: unknown, writing: Writing): Reading<Decimal> {
  const digits = typeof value === "string" ? digitsIn(value, writing) : textOf(value);
  const decimal = digits === undefined ? undefined : parseDecimal(digits);
  if (decimal !== undefined) return fine(decimal);
  return digits === undefined
    ? notNumber(value, writing)
    : wrong(value, "has more than 15 digits before the point or 4 after it");
}

function readNumber(text: string, writing: Writing): Reading<number> {
  const digits = digitsIn(text, writing);
  if (digits === undefined) return notNumber(text, writing);
  if (inexactness(digits) === undefined) return fine(Number(digits));
  return wrong(text, "has more digits than a number can keep");
}

const WORDS = new Map<string, boolean>([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

function readBoolean(text: string): Reading<boolean> {
  const value = WORDS.get(text.toLowerCase());
  return value === undefined ? wrong(text, "is neither yes nor no") : fine(value);
}

/** 31.12.2027, with or without a time. Slashes are not read: they mean two things. */
const DATE_WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?: (\d{2}:\d{2}(?::\d{2})?))?$/;

function isoDate(text: string): string {
  const [, day = "", month = "", year = "", time] = DATE_WITH_DOTS.exec(text) ?? [];
  if (year === "") return text;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return time === undefined ? date : `${date} ${time}`;
}

/** A moment in ISO 8601. Without an offset it is meant in the time zone of the tenant. */
export function readMoment(value: unknown, { timeZone }: Writing): Reading<string> {
  const moment = typeof value === "string" ? parseDate(isoDate(value), timeZone) : undefined;
  // Times whose year has another number of digits cannot be stored.
  const iso = moment?.toISOString() ?? "";
  if (parseTimestamp(iso) !== undefined) return fine(iso);
  return wrong(value, "is not a date such as 2027-12-31 or 31.12.2027");
}

/** A member of `additionalData` in the type that the template declares for it. */
export function readData(
  value: unknown,
  schema: DataSchema | undefined,
  writing: Writing,
): Reading<unknown> {
  if (typeof value !== "string") return readJsonValue(value, schema);
  switch (schema?.type) {
    case "number":
    case "integer":
      return readNumber(value, writing);
    case "boolean":
      return readBoolean(value);
    case "array":
    case "object":
      return readJsonText(value);
    case undefined:
      return fine(oneOf(schema, value));
    default:
      return readFormat(value, schema?.format, writing);
  }
}

function readFormat(text: string, format: DataSchema["format"], writing: Writing): Reading<string> {
  if (format === "date") return fine(isoDate(text));
  // A time with an offset stays as it is written.
  const isMoment = format === "date-time" && (parseTimestamp(text) === undefined || isDay(text));
  return isMoment ? readMoment(text, writing) : fine(text);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

function readJsonValue(value: unknown, schema: DataSchema | undefined): Reading<unknown> {
  if (schema?.type === "string") return fine(textOf(value) ?? value);
  return isExact(value) ? fine(value) : wrong(value, "has more digits than a number can keep");
}

/** False if there is a number that only JSON can hold. */
function isExact(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return digitsOf(value) === undefined && Object.values(value).every(isExact);
}

function readJsonText(text: string): Reading<unknown> {
  const parsed = parseStrictText(text);
  return parsed.ok ? fine(parsed.value) : wrong(text, "is not JSON such as [1, 2]");
}

/** Without a type, a text may stand for a number or a word among the values that are allowed. */
function oneOf(schema: DataSchema | undefined, text: string): unknown {
  const allowed = schema?.enum ?? (schema?.const === undefined ? [] : [schema.const]);
  const found = allowed.find((value) => String(value) === text);
  return found === undefined ? text : found;
}
