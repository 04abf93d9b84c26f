import { type PassWish, passNotFound, type WishResult } from "#src/passes/public.ts";
import type { RefusedRow, RowWish } from "../mapping/row-wish.ts";
import { sentenceOf } from "../mapping/sentence.ts";
import { DELETED_MESSAGE, type NewOutcome, TOLD_MESSAGE } from "../outcomes/outcome.schema.ts";

/** What the module of passes needs to know of a row. */
export function passWishOf(row: RowWish): PassWish {
  const { action, passType, passId, identifiers, additionalData, privileges } = row;
  const { expirationDate, status, notification } = row;
  return {
    action,
    passType,
    passId,
    identifiers,
    additionalData,
    expirationDate,
    status,
    notification,
    companions: privileges.size === 0 ? undefined : { privileges },
  };
}

const MESSAGES = {
  created: null,
  updated: null,
  unchanged: null,
  deleted: DELETED_MESSAGE,
  notified: TOLD_MESSAGE,
} as const;

const DRY_MESSAGES = {
  ...MESSAGES,
  deleted: "The pass would be deleted.",
  notified: "The message would be sent to its holder.",
} as const;

/** What the log says of a row that was tried. */
export function outcomeOf(row: RowWish, result: WishResult, isDryRun: boolean): NewOutcome {
  const about = { row: row.row, line: row.line, identifiers: present(row.identifiers) };
  if (result.result === "failed") {
    const { problem } = result;
    // What the file says is the id of no pass is not shown as one.
    const isNone = problem.code === passNotFound.code || problem.errors?.passId !== undefined;
    const passId = isNone ? null : (result.passId ?? null);
    const failed = {
      ...about,
      outcome: "failed",
      passId,
      message: sentenceOf(problem, row),
    } as const;
    if (passId !== null) return failed;
    return { ...failed, means: { passId: row.passId, passType: row.passType } };
  }
  const { passId } = result;
  const isAct = result.result === "deleted" || result.result === "notified";
  const isTold = row.notification !== undefined && result.result !== "deleted";
  const message = (isDryRun ? DRY_MESSAGES : MESSAGES)[isTold ? "notified" : result.result];
  return { ...about, outcome: isAct ? "updated" : result.result, passId, message };
}

/** What the log says of a row that asks for nothing that can be done. */
export function refusalOf(refused: RefusedRow): NewOutcome {
  const { row, line, passId, passType, identifiers, problem } = refused;
  const about = { row, line, identifiers, means: { passId, passType } };
  return { ...about, outcome: "failed", passId: null, message: problem };
}

/** A row that could not be tried, through no fault of its own. */
export function failureOf(row: RowWish, message: string): NewOutcome {
  const { line, passId, passType, identifiers } = row;
  const means = { passId, passType };
  const about = { row: row.row, line, identifiers: present(identifiers), means };
  return { ...about, outcome: "failed", passId: null, message };
}

function present(identifiers: RowWish["identifiers"]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(identifiers)) if (value !== null) kept[name] = value;
  return kept;
}
