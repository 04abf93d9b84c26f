import Type from "typebox";
import { decimalOf, exactNumber } from "./exact-number.ts";

/**
 * An exact decimal as text: at most 15 digits before the point and 4 after it, without zeros that
 * say nothing, never `-0`. Two equal decimals are the same text. Made by `parseDecimal`.
 */
export type Decimal = string;

const WHOLE_DIGITS_MAX = 15;
const FRACTION_DIGITS_MAX = 4;
const UNITS = 10n ** BigInt(FRACTION_DIGITS_MAX);

/** The largest decimal, in both directions. */
export const DECIMAL_MAX = "999999999999999.9999";
export const ZERO = "0";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const TEXT_CHARS_MAX = 400;

/**
 * Reads a number as it was sent: a JavaScript number, or its digits as text. Undefined if it is no
 * number or has more digits than a decimal may have.
 */
export function parseDecimal(sent: number | string): Decimal | undefined {
  const text = String(sent);
  if (text.length > TEXT_CHARS_MAX || !NUMBER.test(text)) return undefined;
  const { digits, exponent } = decimalOf(text);
  if (digits === "") return ZERO;
  const wholeDigits = digits.length + exponent;
  if (wholeDigits > WHOLE_DIGITS_MAX || -exponent > FRACTION_DIGITS_MAX) return undefined;
  const sign = text.startsWith("-") ? "-" : "";
  if (exponent >= 0) return `${sign}${digits}${"0".repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** For a value that its schema has already checked. */
export function readDecimal(sent: number | string): Decimal {
  const decimal = parseDecimal(sent);
  if (decimal === undefined) throw new RangeError("Not an exact decimal.");
  return decimal;
}

/** A decimal as answers and events show it. */
export function showDecimal(decimal: string): number {
  return exactNumber(decimal);
}

/** The same where there may be none. */
export function showMaybeDecimal(decimal: string | null): number | null {
  return decimal === null ? null : showDecimal(decimal);
}

/** In ten-thousandths, for sums and comparisons. */
export function unitsOf(decimal: string): bigint {
  const isNegative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.replace("-", "").split(".");
  const units = BigInt(whole) * UNITS + BigInt(fraction.padEnd(FRACTION_DIGITS_MAX, "0"));
  return isNegative ? -units : units;
}

/** May have one digit more than a decimal that is sent: the difference of two decimals has. */
export function decimalFromUnits(units: bigint): Decimal {
  const absolute = units < 0n ? -units : units;
  const fraction = String(absolute % UNITS)
    .padStart(FRACTION_DIGITS_MAX, "0")
    .replace(/0+$/, "");
  const text = `${absolute / UNITS}${fraction === "" ? "" : `.${fraction}`}`;
  return units < 0n ? `-${text}` : text;
}

/** The keyword by which the reader of bodies finds the members whose digits it must keep. */
export const DECIMAL_KEYWORD = "x-decimal";

const PROBLEM = `must be a number of at most ${WHOLE_DIGITS_MAX} digits before the point and ${FRACTION_DIGITS_MAX} after it`;

type DecimalOptions = { readonly description?: string; readonly examples?: readonly unknown[] };

/**
 * An exact decimal in a request: a JSON number of which every digit counts, or the same as text for
 * programs whose own numbers would lose digits.
 */
export function decimalSent(options: DecimalOptions = {}) {
  return Type.Refine(
    Type.Unsafe<number | string>({
      type: ["number", "string"],
      [DECIMAL_KEYWORD]: true,
      examples: [10],
      ...options,
    }),
    (sent) => parseDecimal(sent) !== undefined,
    () => PROBLEM,
  );
}

/** An exact decimal in a request. */
export const Decimal = decimalSent();

/** An exact decimal in an answer or an event. */
export function decimalShown(options: DecimalOptions = {}) {
  return Type.Number({ [DECIMAL_KEYWORD]: true, ...options });
}
