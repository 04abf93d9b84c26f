/**
 * One row of a file. `row` counts the rows of data from 1. `line` says where people find the row:
 * in CSV it is the number that a spreadsheet shows beside it (the header has 1), in JSON and NDJSON
 * the line in which it begins. The same bytes always give the same rows with the same numbers, so
 * an import that was interrupted can read again from the start and pass over what is done.
 */
export type SourceRow = CellRow | ObjectRow | BrokenRow;

type Place = { readonly row: number; readonly line: number };

/** A row of CSV: as many cells as the header has columns. */
export type CellRow = Place & {
  readonly kind: "cells";
  /** The same object for all rows of a file. */
  readonly header: Header;
  readonly cells: readonly string[];
};
export type Header = { readonly columns: readonly string[] };

/**
 * An object of JSON or NDJSON. Numbers that a double would change are as `exactNumber` gives them.
 */
export type ObjectRow = Place & {
  readonly kind: "object";
  readonly value: Readonly<Record<string, unknown>>;
};

/** Only this row cannot be read; the rows after it can. */
export type BrokenRow = Place & { readonly kind: "broken"; readonly problem: string };
