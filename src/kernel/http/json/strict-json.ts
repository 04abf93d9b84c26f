import { isUtf8 } from "node:buffer";
import { inexactness, parseExactJson } from "../../exact-number.ts";
import { cut, quoteExcerpt } from "../../excerpt.ts";
import { type KeptNumber, putNumber } from "./decimal-members.ts";

/** `members` is the limit of one object; the others are limits of the whole text. */
export type StrictJsonLimits = {
  depth?: number;
  keys?: number;
  members?: number;
  values?: number;
  /**
   * Members whose numbers may have more digits than a JavaScript number can hold, such as `value` or
   * `scans[].redeem.amount`. Such a number becomes its digits, as text. With "all", every such
   * number becomes what `exactNumber` makes of it.
   */
  decimals?: ReadonlySet<string> | "all";
  /** What refusals call the text; "The body" if it is not given. */
  subject?: string;
  /** The number of the line in which the text begins, if it is part of a larger one. */
  firstLine?: number;
};

export type StrictJsonResult =
  | { ok: true; value: unknown }
  | { ok: false; problem: string; path?: string };

const DEPTH_MAX = 64;
const KEYS_MAX = 100_000;
/** An object is validated in one go, in time that grows with its members: 5,000 take about 5 ms. */
const MEMBERS_MAX = 5_000;
/** Twice the values of the largest useful call: five thousand updates of ten members each. */
const VALUES_MAX = 250_000;
const PATH_CHARS_MAX = 120;
const SUBJECT = "The body";

/**
 * JSON.parse for untrusted input. Refuses what JSON.parse accepts silently and what would cause
 * errors later: duplicate keys (the last one wins here, the first one elsewhere), `__proto__`, NUL
 * and lone surrogates (PostgreSQL stores neither), very deep nesting, numbers that would lose
 * digits or become infinite. Otherwise the value is exactly that of JSON.parse. Never throws, never
 * recurses; the time is linear in the size of the input.
 */
export function parseStrictJson(bytes: Buffer, limits: StrictJsonLimits = {}): StrictJsonResult {
  if (!isUtf8(bytes)) return { ok: false, problem: "The body is not valid UTF-8." };
  const hasBom = bytes.toString("latin1", 0, 3) === "\xef\xbb\xbf";
  return parseStrictText(bytes.toString("utf8", hasBom ? 3 : 0), limits);
}

/** The same for a text that was decoded before. */
export function parseStrictText(text: string, limits: StrictJsonLimits = {}): StrictJsonResult {
  const scanner = new Scanner(text, limits);
  const refusal = scanner.run();
  if (refusal !== undefined) return { ok: false, ...refusal };
  try {
    if (limits.decimals === "all") return { ok: true, value: parseExactJson(text) };
    const value: unknown = JSON.parse(text);
    for (const kept of scanner.kept) putNumber(value, kept);
    return { ok: true, value };
  } catch {
    return { ok: false, problem: `${limits.subject ?? SUBJECT} is not valid JSON.` };
  }
}

type Refusal = { problem: string; path?: string };

/**
 * One open object or array. Frames are kept per depth and reused, so siblings cost no allocation.
 */
type Frame = { isObject: boolean; keys: Set<string>; key: string; index: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LOWER_U = 0x75;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SIMPLE_ESCAPES = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));
const NO_KEYS: ReadonlySet<string> = new Set();

/** The length of the shortest number that a double cannot hold, `1e309`. */
const INEXACT_CHARS_MIN = 5;
/** What the grammar allows next. */
type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "comma-or-end" | "nothing";

/**
 * Reads the text once by the full JSON grammar, not only brackets and quotes, so that the position
 * of a mistake can be reported: V8's messages quote the input and often omit the position.
 */
class Scanner {
  readonly #text: string;
  readonly #depthMax: number;
  readonly #keysMax: number;
  readonly #membersMax: number;
  #valuesLeft: number;
  readonly #frames: Frame[] = [];
  #position = 0;
  #depth = 0;
  #keyCount = 0;
  #refusal: Refusal | undefined;
  readonly #decimals: ReadonlySet<string> | "all" | undefined;
  readonly #subject: string;
  readonly #firstLine: number;
  readonly kept: KeptNumber[] = [];

  constructor(text: string, limits: StrictJsonLimits) {
    this.#text = text;
    this.#depthMax = limits.depth ?? DEPTH_MAX;
    this.#keysMax = limits.keys ?? KEYS_MAX;
    this.#membersMax = limits.members ?? MEMBERS_MAX;
    this.#valuesLeft = limits.values ?? VALUES_MAX;
    this.#decimals = limits.decimals;
    this.#subject = limits.subject ?? SUBJECT;
    this.#firstLine = limits.firstLine ?? 1;
  }

  run(): Refusal | undefined {
    let expected: Expected = "value";
    while (this.#refusal === undefined) {
      this.#skipWhitespace();
      if (this.#position >= this.#text.length) {
        return expected === "nothing" ? undefined : this.#refuseEnd();
      }
      expected = this.#step(expected);
    }
    return this.#refusal;
  }

  #step(expected: Expected): Expected {
    const code = this.#text.charCodeAt(this.#position);
    switch (expected) {
      case "value-or-end":
        return code === CLOSE_ARRAY ? this.#close() : this.#readValue(code);
      case "value":
        return this.#readValue(code);
      case "key-or-end":
        return code === CLOSE_OBJECT ? this.#close() : this.#readKey(code);
      case "key":
        return this.#readKey(code);
      case "comma-or-end":
        return this.#readSeparator(code);
      case "nothing":
        return this.#refuseCharacter(`the end of ${this.#subject.toLowerCase()}`);
    }
  }

  #readValue(code: number): Expected {
    if (this.#valuesLeft === 0) return this.#refuse(`${this.#subject} has too many values`);
    this.#valuesLeft -= 1;
    switch (code) {
      case OPEN_OBJECT:
        return this.#open(true);
      case OPEN_ARRAY:
        return this.#open(false);
      case QUOTE:
        this.#readString();
        return this.#afterValue();
      case 0x74:
        return this.#readWord("true");
      case 0x66:
        return this.#readWord("false");
      case 0x6e:
        return this.#readWord("null");
      default:
        return this.#readNumber();
    }
  }

  #readWord(word: string): Expected {
    if (!this.#text.startsWith(word, this.#position)) return this.#refuseCharacter("a value");
    this.#position += word.length;
    return this.#afterValue();
  }

  #readNumber(): Expected {
    const start = this.#position;
    NUMBER.lastIndex = start;
    if (!NUMBER.test(this.#text)) return this.#refuseCharacter("a value");
    this.#position = NUMBER.lastIndex;
    if (NUMBER.lastIndex - start >= INEXACT_CHARS_MIN) {
      const digits = this.#text.slice(start, NUMBER.lastIndex);
      const problem = inexactness(digits);
      if (problem !== undefined && !this.#keeps(digits)) return this.#refuse(problem, start);
    }
    return this.#afterValue();
  }

  /** Keeps the digits of a number at a place where every digit counts; otherwise false. */
  #keeps(digits: string): boolean {
    if (this.#decimals === undefined || this.#decimals === "all") return this.#decimals === "all";
    const frames = this.#frames.slice(0, this.#depth);
    const pattern = frames.map(({ isObject, key }) => (isObject ? `.${key}` : "[]")).join("");
    if (!this.#decimals.has(pattern.replace(/^\./, ""))) return false;
    this.kept.push({ place: frames.map((at) => (at.isObject ? at.key : at.index)), digits });
    return true;
  }

  #open(isObject: boolean): Expected {
    if (this.#depth >= this.#depthMax) {
      return this.#refuse(`${this.#subject} is nested deeper than ${this.#depthMax} levels`);
    }
    const frame = this.#frames[this.#depth];
    if (frame === undefined) {
      this.#frames.push({ isObject, keys: new Set(), key: "", index: 0 });
    } else {
      frame.isObject = isObject;
      frame.key = "";
      frame.index = 0;
      // A new set, because clearing a set that has grown takes time in proportion to its size.
      if (frame.keys.size > 0) frame.keys = new Set();
    }
    this.#depth += 1;
    this.#position += 1;
    return isObject ? "key-or-end" : "value-or-end";
  }

  #close(): Expected {
    this.#depth -= 1;
    this.#position += 1;
    return this.#afterValue();
  }

  #afterValue(): Expected {
    return this.#depth === 0 ? "nothing" : "comma-or-end";
  }

  #readSeparator(code: number): Expected {
    const frame = this.#frames[this.#depth - 1];
    const isObject = frame?.isObject === true;
    if (code === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return this.#close();
    if (code !== COMMA) return this.#refuseCharacter(isObject ? "',' or '}'" : "',' or ']'");
    this.#position += 1;
    if (frame !== undefined) frame.index += 1;
    return isObject ? "key" : "value";
  }

  #readKey(code: number): Expected {
    if (code !== QUOTE) return this.#refuseCharacter("a key in double quotes");
    const start = this.#position;
    const hasEscape = this.#readString();
    if (this.#refusal !== undefined) return "nothing";
    const key = hasEscape
      ? String(JSON.parse(this.#text.slice(start, this.#position)))
      : this.#text.slice(start + 1, this.#position - 1);
    this.#admitKey(key, start);
    this.#skipWhitespace();
    if (this.#text.charCodeAt(this.#position) !== COLON) return this.#refuseCharacter("':'");
    this.#position += 1;
    return "value";
  }

  #admitKey(key: string, at: number): void {
    const frame = this.#frames[this.#depth - 1];
    const keys = frame?.keys ?? NO_KEYS;
    this.#keyCount += 1;
    if (frame !== undefined) frame.key = key;
    if (keys.has(key)) {
      this.#refuse(`The key ${quoteExcerpt(key)} appears twice in one object`, at);
    } else if (this.#keyCount > this.#keysMax) {
      this.#refuse(`${this.#subject} has more than ${this.#keysMax} keys`, at);
    } else if (keys.size >= this.#membersMax) {
      this.#refuse(`An object has more than ${this.#membersMax} members`, at);
    } else if (key === "__proto__") {
      this.#refuse("The key '__proto__' is not allowed", at);
    } else if (key === "prototype" && this.#frames[this.#depth - 2]?.key === "constructor") {
      // 'constructor' and 'prototype' are ordinary words that a customer may use as names, so each
      // is allowed alone. Only the pair reaches Object.prototype through a careless deep merge.
      this.#refuse("The key 'prototype' is not allowed inside 'constructor'", at);
    }
    frame?.keys.add(key);
  }

  /** Moves behind the closing quote and returns whether the string contains an escape. */
  #readString(): boolean {
    const text = this.#text;
    let hasEscape = false;
    let at = this.#position + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        hasEscape = true;
        at = this.#readEscape(at);
        if (this.#refusal !== undefined) return true;
      } else if (code >= 0x20) {
        at += 1;
      } else if (at >= text.length) {
        this.#refuse("The string that starts here is never closed");
        return hasEscape;
      } else {
        const problem = code === 0 ? "A NUL character" : "A control character that is not escaped";
        this.#refuse(`${problem} is not allowed in a string`, at);
        return hasEscape;
      }
    }
    this.#position = at + 1;
    return hasEscape;
  }

  /** Reads one escape, or two that form a surrogate pair; returns the position behind it. */
  #readEscape(at: number): number {
    const kind = this.#text.charCodeAt(at + 1);
    if (SIMPLE_ESCAPES.has(kind)) return at + 2;
    const unit = kind === LOWER_U ? this.#hexUnit(at + 2) : -1;
    if (unit < 0) {
      this.#refuse("A backslash in a string does not start a valid escape", at);
    } else if (unit === 0) {
      this.#refuse("A NUL character is not allowed in a string", at);
    } else if (unit >= 0xd800 && unit <= 0xdfff) {
      if (unit <= 0xdbff && this.#isLowSurrogateEscape(at + 6)) return at + 12;
      this.#refuse("Half of a surrogate pair is not allowed in a string", at);
    }
    return at + 6;
  }

  #isLowSurrogateEscape(at: number): boolean {
    if (this.#text.charCodeAt(at) !== BACKSLASH) return false;
    if (this.#text.charCodeAt(at + 1) !== LOWER_U) return false;
    const unit = this.#hexUnit(at + 2);
    return unit >= 0xdc00 && unit <= 0xdfff;
  }

  #hexUnit(at: number): number {
    let unit = 0;
    for (let index = at; index < at + 4; index += 1) {
      const digit = hexDigit(this.#text.charCodeAt(index));
      if (digit < 0) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #skipWhitespace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position += 1;
    }
  }

  #refuseEnd(): Refusal {
    const isEmpty = this.#text.trim() === "";
    return { problem: isEmpty ? `${this.#subject} is empty.` : "The JSON ends too early." };
  }

  #refuseCharacter(wanted: string): Expected {
    const code = this.#text.codePointAt(this.#position);
    if (code === undefined) {
      this.#refusal = this.#refuseEnd();
      return "nothing";
    }
    const found = quoteExcerpt(String.fromCodePoint(code));
    return this.#refuse(`Expected ${wanted} but found ${found}`);
  }

  #refuse(what: string, at = this.#position): Expected {
    if (this.#refusal === undefined) {
      const path = this.#path();
      const problem = `${what} (${describePlace(this.#text, at, this.#firstLine)}).`;
      this.#refusal = path === "" ? { problem } : { problem, path };
    }
    return "nothing";
  }

  #path(): string {
    let path = "";
    for (const frame of this.#frames.slice(0, this.#depth)) {
      if (!frame.isObject) path += `[${frame.index}]`;
      else if (frame.key !== "") path += path === "" ? frame.key : `.${frame.key}`;
      if (path.length > PATH_CHARS_MAX) return cut(path, PATH_CHARS_MAX);
    }
    return path;
  }
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function describePlace(text: string, at: number, firstLine: number): string {
  let line = firstLine;
  let lineStart = 0;
  for (
    let next = text.indexOf("\n");
    next !== -1 && next < at;
    next = text.indexOf("\n", next + 1)
  ) {
    line += 1;
    lineStart = next + 1;
  }
  return `line ${line}, column ${at - lineStart + 1}`;
}
