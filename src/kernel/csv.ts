/** Cells and lines of CSV files (RFC 4180) that people open in spreadsheets. */

const END = "\r\n";

/** A spreadsheet runs a text that begins like this as a formula, also after spaces. */
const STARTS = "[=+\\-@|%]";
/**
 * Where a cell may begin: a European spreadsheet takes `;` for the end of a cell, and a line break for
 * the end of a row, though they stand within quotation marks that follow a comma.
 */
const CELL_STARTS = "(?<=^|[;\\t\\r\\n])";
/** Quotation marks at the start of a cell are taken away, and what follows them is run. */
const SPACES = '(?:"|[^\\S\\t\\r\\n])*';

const FORMULAS = new RegExp(`${CELL_STARTS}(?=${SPACES}${STARTS})|^(?=[\\t\\r\\n])`, "g");
const GUARDS = new RegExp(`${CELL_STARTS}'(?=${SPACES}${STARTS})`, "g");

/**
 * A text of a stranger as one cell of CSV, of which no spreadsheet runs any part, whatever it takes for
 * the end of a cell.
 */
export function textCell(text: string | null): string {
  if (text === null || text === "") return "";
  const safe = text.replace(FORMULAS, "'");
  // Programs that try several separators leave alone what stands in quotation marks.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell that `textCell` has made, or a spreadsheet that guards like it. */
export function unguarded(text: string): string {
  return text.includes("'") ? text.replace(GUARDS, "") : text;
}

/** The cells must be such already: a number of ours, or made by `textCell`. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.join(",")}${END}`;
}
