import { isUtf8 } from "node:buffer";
import { type Decimal, parseDecimal } from "#kernel/decimal.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { isObject } from "#kernel/json.ts";
import { quoteInexact } from "./json-digits.ts";

/** Reads what vendors sent: tolerant, and without losing a digit. */

const TEXT_CHARS_MAX = 2_000;

/**
 * Undefined if it is no JSON in UTF-8, or deeper or more than vendors send. A number with more digits
 * than can be kept, such as an id above 2^53, becomes a text; the functions below read both alike.
 */
export function parseVendorJson(bytes: Buffer): unknown {
  // Otherwise names would be stored with other letters than they were sent with.
  const text = isUtf8(bytes) ? quoteInexact(bytes.toString("utf8")) : undefined;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path such as `customer.addresses.0.city`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split(".")) {
    if (Array.isArray(found)) found = found[Number(name)];
    else if (isObject(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** A text or the digits of a number, as the database can store it; undefined if there is none. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  const text = typeof found === "number" ? String(found) : found;
  if (typeof text !== "string") return undefined;
  const clean = text.replaceAll("\0", "").slice(0, TEXT_CHARS_MAX).toWellFormed().trim();
  return clean === "" ? undefined : clean;
}

export function timeAt(value: unknown, path: string): Date | undefined {
  const text = textAt(value, path);
  const at = text === undefined ? undefined : parseTimestamp(text.toUpperCase());
  return at === undefined ? undefined : new Date(at);
}

export function decimalAt(value: unknown, path: string): Decimal | undefined {
  const text = textAt(value, path);
  return text === undefined ? undefined : parseDecimal(text);
}

/**
 * A value for a member of a pass: text, number or boolean. Undefined for anything else, and for
 * numbers with more digits than can be kept, which become text.
 */
export function memberAt(value: unknown, path: string): string | number | boolean | undefined {
  const found = valueAt(value, path);
  if (typeof found === "number" || typeof found === "boolean") return found;
  return textAt(value, path);
}
