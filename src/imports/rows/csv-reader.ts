import { quoteExcerpt } from "#kernel/excerpt.ts";
import { UnreadableFile } from "../unreadable-file.ts";
import { readHeader } from "./csv-header.ts";
import { afterLineEnd, type CsvRecord, type QuoteFault, readRecord } from "./csv-record.ts";
import { COLUMNS_MAX, ROW_CHARS_MAX } from "./limits.ts";
import type { RowReader } from "./row-reader.ts";
import type { BrokenRow, CellRow, Header, SourceRow } from "./source-row.ts";

const DELIMITERS = [";", ",", "\t"] as const;
type Delimiter = (typeof DELIMITERS)[number];

type CsvOptions = {
  readonly delimiter?: Delimiter | undefined;
  readonly checkHeader?: (header: Header) => void;
};

/** Spreadsheets understand such a first line, and do not show it. */
const DELIMITER_LINE = /^sep=([;,\t])$/i;

/** Reads CSV. A text that is no CSV at all gives a header that the mapping does not know. */
export class CsvReader implements RowReader {
  readonly #checkHeader: CsvOptions["checkHeader"];
  #delimiter: Delimiter | undefined;
  #header: Header | undefined;
  /** The start of the record that is not complete yet. */
  #rest = "";
  /** So long must the rest be before it is worth reading again. */
  #worthChars = 0;
  #records = 0;
  #rows = 0;

  constructor({ delimiter, checkHeader }: CsvOptions) {
    this.#delimiter = delimiter;
    this.#checkHeader = checkHeader;
  }

  get line(): number {
    return this.#records + 1;
  }

  push(text: string, rows: SourceRow[]): void {
    this.#rest += text;
    if (this.#rest.length >= this.#worthChars) this.#read(this.#rest, false, rows);
  }

  catchUp(rows: SourceRow[]): void {
    this.#read(this.#rest, false, rows);
  }

  end(rows: SourceRow[]): void {
    this.#read(this.#rest, true, rows);
    if (this.#header === undefined) throw new UnreadableFile("empty", "The file is empty.");
  }

  #read(text: string, isEnd: boolean, rows: SourceRow[]): void {
    let at = 0;
    if (this.#header === undefined) at = this.#readStart(text, isEnd);
    if (this.#header !== undefined) at = this.#readRecords(text, at, isEnd, rows);
    this.#rest = text.slice(at);
    // A record that is not complete is read again from its start. Only when it has doubled: with
    // every piece, a long record would cost time by the square of its length.
    this.#worthChars = Math.min(2 * this.#rest.length, ROW_CHARS_MAX + 1);
    if (this.#rest.length > ROW_CHARS_MAX) throw this.#tooLong(this.#rest);
  }

  /** Reads up to the header, and returns where the rows begin. */
  #readStart(text: string, isEnd: boolean): number {
    let at = 0;
    while (this.#header === undefined && at < text.length) {
      const record = this.#firstRecord(text, at, isEnd);
      if (record === undefined) break;
      if (record.end - at > ROW_CHARS_MAX) throw this.#tooLong(text.slice(at));
      const line = DELIMITER_LINE.exec(text.slice(at, record.end).trim());
      if (line !== null && this.#records === 0) {
        this.#delimiter ??= line[1] as Delimiter;
        at = record.end;
        continue;
      }
      this.#records += 1;
      if (record.fault !== undefined) throw this.#unclosed(record.fault);
      if (!isBlank(record.cells)) {
        this.#header = readHeader(record.cells);
        this.#checkHeader?.(this.#header);
      }
      at = record.end;
    }
    return at;
  }

  /** The delimiter that splits the header into most columns is the one that was meant. */
  #firstRecord(text: string, at: number, isEnd: boolean): CsvRecord | undefined {
    const candidates = this.#delimiter === undefined ? DELIMITERS : [this.#delimiter];
    let best: CsvRecord | undefined;
    let delimiter: Delimiter | undefined;
    for (const candidate of candidates) {
      const record = readRecord(text, at, candidate, isEnd);
      if (record === undefined) return undefined;
      if (best !== undefined && record.cells.length <= best.cells.length) continue;
      best = record;
      delimiter = candidate;
    }
    if (best !== undefined && !isBlank(best.cells)) this.#delimiter = delimiter;
    return best;
  }

  /** Returns where the record begins that is not complete. */
  #readRecords(text: string, from: number, isEnd: boolean, rows: SourceRow[]): number {
    const { length } = text;
    const delimiter = this.#delimiter ?? ",";
    let at = from;
    let [quote, lf, cr] = [-1, -1, -1];
    while (at < length) {
      // Each position is looked for again only when it was passed.
      if (quote < at) quote = indexOrEnd(text, '"', at);
      if (lf < at) lf = indexOrEnd(text, "\n", at);
      if (cr < at) cr = indexOrEnd(text, "\r", at);
      const lineEnd = Math.min(lf, cr);
      let record: CsvRecord | undefined;
      if (quote < lineEnd) {
        record = readRecord(text, at, delimiter, isEnd);
      } else if (lineEnd < length || isEnd) {
        // Without quotes, which is how most rows are, splitting is four times as fast.
        const end = afterLineEnd(text, lineEnd, isEnd);
        const cells = text.slice(at, lineEnd).split(delimiter, COLUMNS_MAX + 1);
        record = end === undefined ? undefined : { cells, end };
      }
      if (record === undefined) return at;
      if (record.end - at > ROW_CHARS_MAX) throw this.#tooLong(text.slice(at));
      this.#accept(record, rows);
      at = record.end;
    }
    return at;
  }

  #accept({ cells, fault }: CsvRecord, rows: SourceRow[]): void {
    const header = this.#header;
    this.#records += 1;
    if (fault?.kind === "unclosed" || fault?.isOverLines === true) throw this.#unclosed(fault);
    if (header === undefined || isBlank(cells)) return;
    this.#rows += 1;
    rows.push(fault === undefined ? this.#rowOf(cells, header) : this.#strayQuote(fault));
  }

  #rowOf(cells: string[], header: Header): CellRow | BrokenRow {
    const [count, wanted] = [cells.length, header.columns.length];
    const place = { row: this.#rows, line: this.#records };
    if (count === wanted) return { kind: "cells", ...place, header, cells };
    if (count > wanted && isBlank(cells.slice(wanted))) {
      return { kind: "cells", ...place, header, cells: cells.slice(0, wanted) };
    }
    const has = count > COLUMNS_MAX ? `more than ${COLUMNS_MAX} values` : counted(count, "value");
    const delimiter = this.#delimiter === "\t" ? "a tab" : `'${this.#delimiter}'`;
    const hint =
      count < wanted
        ? `Is ${delimiter} or a line break in the wrong place?`
        : `If a value contains ${delimiter}, put the value in quotation marks.`;
    const problem = `This row has ${has}, but the first line names ${counted(wanted, "column")}. ${hint}`;
    return { kind: "broken", ...place, problem };
  }

  #strayQuote({ column }: QuoteFault): BrokenRow {
    const problem = `The quotation marks in ${this.#columnName(column)} do not fit together. Write two of them ("") for one that is part of a value.`;
    return { kind: "broken", row: this.#rows, line: this.#records, problem };
  }

  #unclosed({ column }: QuoteFault): UnreadableFile {
    return new UnreadableFile(
      "unclosed-quote",
      `A quotation mark in line ${this.#records}, ${this.#columnName(column)}, is never closed, so it is not clear where the value ends. Add the missing one, or write two of them ("") for one that is part of a value.`,
    );
  }

  /** Looks at the longest row that is allowed and no further, however much of it is there. */
  #tooLong(text: string): UnreadableFile {
    this.#records += 1;
    // Before the header is complete it is not known what stands between its columns.
    if (this.#header !== undefined && this.#delimiter !== undefined) {
      const record = readRecord(text.slice(0, ROW_CHARS_MAX), 0, this.#delimiter, true);
      if (record?.fault?.kind === "unclosed") return this.#unclosed(record.fault);
    }
    return new UnreadableFile(
      "row-too-long",
      `Line ${this.#records} is longer than ${ROW_CHARS_MAX} characters. Are the line breaks between the rows missing?`,
    );
  }

  #columnName(column: number): string {
    const name = this.#header?.columns[column];
    return name === undefined ? `column ${column + 1}` : `column ${quoteExcerpt(name)}`;
  }
}

function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}

/** Spreadsheets write rows without any value, too. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
