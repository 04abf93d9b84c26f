import { csvLine, textCell } from "#kernel/csv.ts";
import type { Format } from "../rows/format.ts";
import type { Header, SourceRow } from "../rows/source-row.ts";
import type { Outcome } from "./outcome.schema.ts";

export type FailedRow = { readonly source: SourceRow; readonly outcome: Outcome };

type Writing = {
  readonly type: string;
  readonly head: string;
  lineOf(row: FailedRow): string;
};

/** What is added to each row. An import passes over columns with these names. */
const ADDED = ["line", "reason"];

/**
 * How failed rows are written: rows of CSV as CSV, with the columns of the file, and objects as NDJSON.
 * The rows themselves do not say it: thousands at the start of a file may be unreadable.
 */
export function failedRowsWriting(format: Format, header: Header): Writing {
  return format === "csv" ? cellsOf(header) : OBJECTS;
}

const OBJECTS: Writing = {
  type: "application/x-ndjson",
  head: "",
  lineOf({ source, outcome: { line, message } }) {
    const value = source.kind === "object" ? source.value : {};
    return `${JSON.stringify({ ...value, line, reason: message })}\n`;
  },
};

function cellsOf({ columns }: Header): Writing {
  // A file that was corrected once has the added columns already.
  const kept = columns.flatMap((column, at) => (ADDED.includes(column) ? [] : [at]));
  const names = kept.map((at) => textCell(columns[at] ?? null));
  return {
    type: "text/csv",
    head: csvLine([...names, ...ADDED]),
    lineOf({ source, outcome: { line, message } }) {
      const cells = source.kind === "cells" ? source.cells : [];
      return csvLine([...kept.map((at) => textCell(cells[at] ?? null)), line, textCell(message)]);
    },
  };
}
