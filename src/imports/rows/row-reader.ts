import type { SourceRow } from "./source-row.ts";

/**
 * Reads the rows of one format from a text that comes in pieces. The rows do not depend on where
 * the text was cut. The functions throw `UnreadableFile`; the rows before that place are then in
 * the list.
 */
export type RowReader = {
  /** The line that is being read, for a problem of the bytes. */
  readonly line: number;
  /** A reader may wait for more text before it looks at what it has. */
  push(text: string, rows: SourceRow[]): void;
  /** Reads everything that was pushed: behind it are bytes that are no text. */
  catchUp?(rows: SourceRow[]): void;
  end(rows: SourceRow[]): void;
};
