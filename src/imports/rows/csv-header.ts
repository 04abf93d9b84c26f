import { quoteExcerpt } from "#kernel/excerpt.ts";
import { UnreadableFile } from "../unreadable-file.ts";
import { COLUMNS_MAX, HEADER_CHARS_MAX } from "./limits.ts";
import type { Header } from "./source-row.ts";

/** Throws `UnreadableFile` if these cells cannot be the names of columns. */
export function readHeader(cells: readonly string[]): Header {
  const names = cells.map((cell) => cell.trim());
  // Spreadsheets write empty columns behind the last one that has a name.
  const columns = names.slice(0, names.findLastIndex((name) => name !== "") + 1);
  if (columns.length > COLUMNS_MAX) {
    throw refused(`The file has more than ${COLUMNS_MAX} columns.`);
  }
  const seen = new Set<string>();
  for (const [at, name] of columns.entries()) {
    if (name === "") throw refused(`Column ${at + 1} has no name. ${FIRST_LINE}`);
    if (name.length > HEADER_CHARS_MAX) {
      throw refused(
        `The name of column ${at + 1} is longer than ${HEADER_CHARS_MAX} characters. ${FIRST_LINE}`,
      );
    }
    if (seen.has(name)) {
      throw refused(
        `Two columns are named ${quoteExcerpt(name)}. Give each column a name of its own.`,
      );
    }
    seen.add(name);
  }
  return { columns };
}

const FIRST_LINE = "The first line of the file must name every column.";

function refused(message: string): UnreadableFile {
  return new UnreadableFile("bad-header", message);
}
