import { type ReadingOptions, readRows } from "#src/imports/rows/read-rows.ts";
import type { SourceRow } from "#src/imports/rows/source-row.ts";
import { UnreadableFile } from "#src/imports/unreadable-file.ts";

type Options = Partial<ReadingOptions>;

export type FileReading = {
  readonly rows: readonly SourceRow[];
  /** Why the file could not be read to its end. */
  readonly problem: string | undefined;
};

/** Reads a file that comes in these chunks. */
export async function readFile(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { fileName = "members.csv", ...options }: Options = {},
): Promise<FileReading> {
  const rows: SourceRow[] = [];
  const stream = (async function* () {
    yield* chunks;
  })();
  try {
    for await (const batch of readRows(stream, { fileName, ...options })) rows.push(...batch);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { rows, problem: error.message };
  }
  return { rows, problem: undefined };
}

/** The cells of CSV rows. */
export function cellsOf(rows: readonly SourceRow[]): readonly (readonly string[])[] {
  return rows.flatMap((row) => (row.kind === "cells" ? [row.cells] : []));
}
