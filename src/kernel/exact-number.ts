/** What the types of the language do not know yet (ECMAScript: JSON.parse source text access). */
type JsonWithSource = {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, more: { source?: string }) => unknown,
  ): unknown;
};
const json = JSON as unknown as JsonWithSource;

/** A double holds every number of up to so many digits, if it is written without an exponent. */
const EXACT_DIGITS_MAX = 15;

/**
 * What is wrong with a number as a JavaScript number; undefined if no digit would change. A card
 * number or a price must not come back with other digits, and no number as null.
 */
export function inexactness(number: string): string | undefined {
  if (number.length <= EXACT_DIGITS_MAX && !/e/i.test(number)) return undefined;
  const value = Number(number);
  if (!Number.isFinite(value)) return "A number is too large";
  const [sent, kept] = [decimalOf(number), decimalOf(String(value))];
  if (value === 0 && sent.digits !== "") return "A number is too small";
  if (sent.digits === kept.digits && sent.exponent === kept.exponent) return undefined;
  return "A number has more digits than can be kept: send it as a string";
}

/** Splits a number into its digits, without zeros around them, and their power of ten. */
export function decimalOf(number: string): { digits: string; exponent: number } {
  const [mantissa = "", power = "0"] = number.replace(/^-/, "").split(/e/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all[start] === "0") start += 1;
  while (end > start && all[end - 1] === "0") end -= 1;
  const exponent = start === end ? 0 : Number(power) - fraction.length + (all.length - end);
  return { digits: all.slice(start, end), exponent };
}

/**
 * A number for an answer or an event. `JSON.stringify` writes it with exactly these digits. It is a
 * plain number unless a double would change a digit; then it is an object that only JSON can use.
 */
export function exactNumber(text: string): number {
  if (inexactness(text) === undefined) return Number(text);
  return json.rawJSON(text) as unknown as number;
}

/** The digits of a number that `exactNumber` could not give as a plain number. */
export function digitsOf(value: unknown): string | undefined {
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}

/** Without so many digits in a row no number can be inexact, unless it has an exponent. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d/;

/**
 * JSON.parse for what this service wrote itself: numbers that a double would change are kept as
 * `exactNumber` gives them, so that they are written again with the same digits.
 */
export function parseExactJson(text: string): unknown {
  if (!MAYBE_INEXACT.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && inexactness(source) !== undefined
      ? exactNumber(source)
      : value,
  );
}
