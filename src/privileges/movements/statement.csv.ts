import { csvLine, textCell } from "#kernel/csv.ts";
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

export const STATEMENT_HEAD = csvLine(COLUMNS);

export function statementLine(movement: Movement): string {
  return csvLine([
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
  ]);
}
