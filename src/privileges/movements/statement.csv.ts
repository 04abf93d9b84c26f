import type { Movement } from "./movement.schema.ts";

const COLUMNS = [
  "sequence",
  "movementId",
  "type",
  "value",
  "valueBefore",
  "valueAfter",
  "reason",
  "reference",
  "reverses",
  "occurredAt",
  "createdAt",
] as const;

const END = "\r\n";
export const STATEMENT_HEAD = `${COLUMNS.join(",")}${END}`;

export function statementLine(movement: Movement): string {
  return `${[
    movement.sequence,
    movement.id,
    movement.type,
    // Numbers keep their sign: they come from us, and no formula is made of digits alone.
    movement.value,
    movement.valueBefore ?? "",
    movement.valueAfter ?? "",
    textCell(movement.reason),
    textCell(movement.reference),
    movement.reverses ?? "",
    movement.occurredAt.toISOString(),
    movement.createdAt.toISOString(),
  ].join(",")}${END}`;
}

/** A spreadsheet runs a text that begins like this as a formula, also after spaces. */
const FORMULA = /^\s*[=+\-@\t\r\n|%]/;

/** A text of a stranger as one cell of CSV, which no spreadsheet runs. */
export function textCell(text: string | null): string {
  if (text === null || text === "") return "";
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
