import { csvLine, textCell } from "#kernel/csv.ts";
import type { Outcome } from "./outcome.schema.ts";

const PREFIX = "identifiers.";
const COLUMNS = ["row", "line", "outcome", "reason", "passId"];

/** Identifiers have the names of the columns by which they are imported. */
export function logHead(identifierNames: readonly string[]): string {
  return csvLine([...COLUMNS, ...identifierNames.map((name) => textCell(`${PREFIX}${name}`))]);
}

export function logLine(outcome: Outcome, identifierNames: readonly string[]): string {
  return csvLine([
    outcome.row,
    outcome.line,
    outcome.outcome,
    textCell(outcome.message),
    textCell(outcome.passId),
    ...identifierNames.map((name) => textCell(outcome.identifiers[name] ?? null)),
  ]);
}
