import { setImmediate as nextTurn } from "node:timers/promises";
import { CsvReader } from "./csv-reader.ts";
import { Decoding, decodingProblem } from "./decoding.ts";
import { type Format, formatOf } from "./format.ts";
import { JsonLinesReader } from "./json-lines-reader.ts";
import { JsonListReader } from "./json-list-reader.ts";
import { piecesOf } from "./pieces.ts";
import type { RowReader } from "./row-reader.ts";
import type { Header, SourceRow } from "./source-row.ts";

export type ReadingOptions = {
  readonly fileName: string;
  /** What stands between the columns of CSV; found by the header if it is not given. */
  readonly delimiter?: ";" | "," | "\t" | undefined;
  /** Hears what the file is before anything else. */
  tellFormat?(format: Format): void;
  /** Looks at the header of CSV before any row. May throw `UnreadableFile`. */
  checkHeader?(header: Header): void;
};

const ROWS_AT_ONCE_MAX = 500;

/**
 * Reads the rows of a file: CSV, a list in JSON, or NDJSON. Gives them in small lists, and lets
 * others use the event loop between the pieces that it reads. Memory is bounded whatever the file
 * contains. Throws `UnreadableFile`.
 */
export async function* readRows(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<readonly SourceRow[]> {
  const reading = new Reading(options);
  for await (const piece of piecesOf(bytes)) {
    yield* inBatches(reading.push(piece));
    if (reading.problem !== undefined) throw reading.problem;
    await nextTurn();
  }
  yield* inBatches(reading.end());
  if (reading.problem !== undefined) throw reading.problem;
}

function* inBatches(rows: readonly SourceRow[]): Generator<readonly SourceRow[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE_MAX) {
    yield rows.slice(at, at + ROWS_AT_ONCE_MAX);
  }
}

/** The reading of one file, from its bytes to its rows, without any waiting. */
export class Reading {
  readonly #options: ReadingOptions;
  readonly #decoding = new Decoding();
  #reader: RowReader | undefined;
  /** The text by which the format has yet to be found. */
  #start = "";
  /** Why the file cannot be read any further. The rows given so far stand before that place. */
  problem: unknown;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  push(piece: Buffer): readonly SourceRow[] {
    return this.#read((rows) => this.#take(this.#decoding.push(piece), false, rows));
  }

  end(): readonly SourceRow[] {
    return this.#read((rows) => this.#take(this.#decoding.end(), true, rows));
  }

  #read(into: (rows: SourceRow[]) => void): readonly SourceRow[] {
    const rows: SourceRow[] = [];
    try {
      into(rows);
    } catch (problem) {
      this.problem = problem;
    }
    return rows;
  }

  #take({ text, fault }: ReturnType<Decoding["push"]>, isEnd: boolean, rows: SourceRow[]): void {
    const reader = this.#readerFor(text, isEnd || fault !== undefined);
    if (reader === undefined) return;
    reader.push(this.#reader === undefined ? this.#start : text, rows);
    this.#reader = reader;
    this.#start = "";
    if (fault !== undefined) {
      reader.catchUp?.(rows);
      throw decodingProblem(fault, reader.line);
    }
    if (isEnd) reader.end(rows);
  }

  #readerFor(text: string, isWhole: boolean): RowReader | undefined {
    if (this.#reader !== undefined) return this.#reader;
    this.#start += text;
    const format = formatOf(this.#start, isWhole, this.#options.fileName);
    if (format === undefined) return undefined;
    this.#options.tellFormat?.(format);
    return createReader(format, this.#options);
  }
}

function createReader(format: Format, options: ReadingOptions): RowReader {
  switch (format) {
    case "csv":
      return new CsvReader(options);
    case "json":
      return new JsonListReader();
    case "ndjson":
      return new JsonLinesReader(/\.(ndjson|jsonl)$/i.test(options.fileName));
  }
}
