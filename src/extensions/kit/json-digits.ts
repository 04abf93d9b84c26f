import { inexactness } from "#kernel/exact-number.ts";

/*
 * What vendors send stays far below these. With them, a mebibyte takes up to 20 ms of the event loop, and
 * 30 at the first time, whatever it contains (measured on a busy machine); without them, and with a reviver
 * for the digits, it was up to a second.
 */
const DEPTH_MAX = 64;
const VALUES_MAX = 40_000;
/** Of one object or list. */
const MEMBERS_MAX = 5_000;
/** Numbers with an exponent or with very many digits. */
const LONG_NUMBERS_MAX = 2_000;
const NUMBER_CHARS_MAX = 1_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const BACKSLASH = 0x5c;
/** A double holds every number of so many characters, if it has no exponent. */
const EXACT_CHARS_MAX = 15;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The same JSON with numbers that a double would change in quotes: ids above 2^53 are usual. Undefined if
 * it is deeper or more than what vendors send. What is no JSON before is none afterwards.
 */
export function quoteInexact(text: string): string | undefined {
  const parts: string[] = [];
  const members = [0];
  let [at, copied, values, longNumbers] = [0, 0, 0, 0];
  let backslash = text.indexOf("\\");
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      if (backslash !== -1 && backslash < at) backslash = text.indexOf("\\", at);
      at = endOfString(text, at, backslash);
    } else if (code === MINUS || isDigit(code)) {
      const number = text.slice(at, endOfNumber(text, at));
      if (isLong(number)) {
        longNumbers += 1;
        if (longNumbers > LONG_NUMBERS_MAX || number.length > NUMBER_CHARS_MAX) return undefined;
        if (isInexact(number)) {
          parts.push(text.slice(copied, at), `"${number}"`);
          copied = at + number.length;
        }
      }
      at += number.length;
    } else {
      if (!count(members, code)) return undefined;
      if (code === COMMA || isOpening(code)) values += 1;
      if (values > VALUES_MAX) return undefined;
      at += 1;
    }
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

/** Counts the members of what is open, the innermost last; false if there are too many, or too deep. */
function count(members: number[], code: number): boolean {
  if (isOpening(code)) members.push(0);
  else if (isClosing(code)) members.pop();
  else if (code === COMMA) members.push((members.pop() ?? 0) + 1);
  return members.length <= DEPTH_MAX + 1 && (members.at(-1) ?? 0) < MEMBERS_MAX;
}

function isLong(number: string): boolean {
  return number.length > EXACT_CHARS_MAX || /e/i.test(number);
}

function isInexact(number: string): boolean {
  return NUMBER.test(number) && inexactness(number) !== undefined;
}

/** The place behind the quote that ends the string. Most have no backslash, and need no look at each character. */
function endOfString(text: string, start: number, backslash: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote === -1) return text.length;
  if (backslash === -1 || backslash > quote) return quote + 1;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end - start <= NUMBER_CHARS_MAX && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;

/** A digit, a point, a sign or an `e`. */
function isOfNumber(code: number): boolean {
  const isSign = code === 0x2b || code === MINUS;
  return isDigit(code) || isSign || code === 0x2e || (code | 0x20) === 0x65;
}
