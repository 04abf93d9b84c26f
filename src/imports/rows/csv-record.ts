import { COLUMNS_MAX } from "./limits.ts";

/** One record of CSV, which may have line ends within quoted values. */
export type CsvRecord = {
  /** At most one more than there may be columns: the others are not kept. */
  readonly cells: string[];
  /** Where the next record begins. */
  readonly end: number;
  readonly fault?: QuoteFault;
};

export type QuoteFault = {
  /**
   * `unclosed`: the text ends within a quoted value. `stray`: text follows the closing quote of a
   * value, so the quote was meant as part of the value, or an earlier one is missing.
   */
  readonly kind: "unclosed" | "stray";
  /** Counted from 0. */
  readonly column: number;
  /** The value goes over a line end, so it may have swallowed other records. */
  readonly isOverLines: boolean;
};

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads the record that begins at `at`. As spreadsheets do, a quote means something only at the
 * start of a value, and every kind of line end ends a record. Undefined if the record may go on
 * after the text.
 */
export function readRecord(
  text: string,
  at: number,
  delimiter: string,
  isEnd: boolean,
): CsvRecord | undefined {
  const cells: string[] = [];
  const separator = delimiter.charCodeAt(0);
  let fault: QuoteFault | undefined;
  let from = at;
  for (let column = 0; ; column += 1) {
    let [start, close] = [from, -1];
    if (text.charCodeAt(from) === QUOTE) {
      start = from + 1;
      close = closingQuote(text, start);
      if (close === -1) {
        if (!isEnd) return undefined;
        const isOverLines = hasLineEnd(text.slice(start));
        return { cells, end: text.length, fault: { kind: "unclosed", column, isOverLines } };
      }
    }
    const next = cellEnd(text, Math.max(from, close + 1), separator);
    if (next === text.length && !isEnd) return undefined;
    const value = close === -1 ? text.slice(from, next) : unquoted(text.slice(start, close));
    if (close !== -1 && text.slice(close + 1, next).trim() !== "") {
      fault ??= { kind: "stray", column, isOverLines: hasLineEnd(value) };
    }
    if (column <= COLUMNS_MAX) cells.push(value);
    if (text.charCodeAt(next) === separator) {
      from = next + 1;
      continue;
    }
    const end = afterLineEnd(text, next, isEnd);
    if (end === undefined) return undefined;
    return fault === undefined ? { cells, end } : { cells, end, fault };
  }
}

/** The position behind the line end at `at`; undefined if a text after this one may belong to it. */
export function afterLineEnd(text: string, at: number, isEnd: boolean): number | undefined {
  if (text.charCodeAt(at) !== CR) return Math.min(at + 1, text.length);
  if (at + 1 === text.length && !isEnd) return undefined;
  return text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}

/** The next quote that is not one of two in a row; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

/** Where the value ends: at a delimiter, a line end or the end of the text. */
function cellEnd(text: string, from: number, separator: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === separator || code === LF || code === CR) break;
  }
  return at;
}

function unquoted(value: string): string {
  return value.includes('"') ? value.replaceAll('""', '"') : value;
}

function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}
