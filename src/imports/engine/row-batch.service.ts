import type { TenantContext } from "#kernel/context.ts";
import { isTooSlow } from "#kernel/db/failures.ts";
import { ProblemError } from "#kernel/errors.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import {
  fulfilWishes,
  isIdentifierClash,
  type PassTypes,
  passTypesOf,
  type WishResult,
} from "#src/passes/public.ts";
import type { ImportFile } from "../files/file.schema.ts";
import { type ClaimedFile, ClaimLost, recordBatch } from "../files/file-claim.service.ts";
import type { NewOutcome } from "../outcomes/outcome.schema.ts";
import { failureOf, outcomeOf, passWishOf, refusalOf } from "./row-outcome.ts";
import type { ReadRow, RowBatch } from "./row-source.service.ts";

/** Thrown to undo what a dry run did. */
class DryRunEnd extends Error {}

const FAILED = "This row could not be imported because of a fault on our side. Try it once more.";
/** The `problem` of an import that was stopped after `FAULTS_MAX` rows. */
export const STOPPED =
  "One row after the other could not be imported because of a fault on our side, so the import was " +
  "stopped. Import the file once more later: rows that are done change nothing.";

/** A row for which the database takes too long is tried so often, with pauses, until it fails. */
const SLOW_TRIES_MAX = 5;
/** So many rows in succession cannot all be at fault: something else is. */
const FAULTS_MAX = 25;

/** What went wrong in the import of a file without any rule that says so. */
export type Trouble = {
  /** The row for which the database took too long, and how often. */
  slow: { readonly row: number; readonly tries: number } | undefined;
  /** How many rows failed since one was imported. */
  faults: number;
};

/** Thrown when so many rows failed in succession that the import makes no sense. */
export class TooManyFaults extends Error {}

type Work = {
  readonly context: TenantContext;
  readonly claimed: ClaimedFile;
  readonly types: PassTypes;
  readonly trouble: Trouble;
};

/**
 * Imports rows and writes down what became of each, in one transaction. If that fails as a whole, for
 * a reason that no rule foresees, the rows are tried in ever smaller parts until it is known whose
 * fault it is: only that row fails. Returns the file as it is then. Throws a problem with the status
 * 503 if the rows that are not recorded should be tried again later.
 */
export async function importRows(
  context: TenantContext,
  claimed: ClaimedFile,
  batch: RowBatch,
  trouble: Trouble,
): Promise<ImportFile> {
  const work = { context, claimed, types: await passTypesOf(context), trouble };
  const file = await attempt(work, batch);
  if (file !== undefined) return file;
  const facts = { tenantId: context.tenantId, importId: claimed.file.id };
  context.log.warn({ ...facts, rows: batch.rows.length }, "rows are imported in smaller parts");
  return await importHalves(work, batch);
}

/** Undefined if the rows must be tried in smaller parts. A single row fails instead. */
async function attempt(work: Work, batch: RowBatch): Promise<ImportFile | undefined> {
  try {
    const file = await importAtOnce(work, batch);
    work.trouble.faults = 0;
    return file;
  } catch (error) {
    if (error instanceof ClaimLost || isNobodysFault(error)) throw error;
    return batch.rows.length > 1 ? undefined : await giveUp(work, batch, error);
  }
}

async function importHalves(work: Work, { rows, bytesDone }: RowBatch): Promise<ImportFile> {
  const middle = Math.ceil(rows.length / 2);
  const first = { rows: rows.slice(0, middle), bytesDone };
  const second = { rows: rows.slice(middle), bytesDone };
  if ((await attempt(work, first)) === undefined) await importHalves(work, first);
  return (await attempt(work, second)) ?? (await importHalves(work, second));
}

/** Lets a single row fail, unless it was only too slow and may succeed later. */
async function giveUp(
  { context, claimed, trouble }: Work,
  { rows, bytesDone }: RowBatch,
  error: unknown,
): Promise<ImportFile> {
  const row = rows[0]?.row ?? 0;
  if (isTooSlow(error)) {
    const tries = trouble.slow?.row === row ? trouble.slow.tries + 1 : 1;
    trouble.slow = { row, tries };
    if (tries < SLOW_TRIES_MAX) throw error;
  }
  const facts = { err: error, tenantId: context.tenantId, importId: claimed.file.id, row };
  context.log.error(facts, "a row was not imported");
  const outcomes = rows.map(givenUp);
  const file = await context.transaction((tx) => recordBatch(tx, claimed, { outcomes, bytesDone }));
  trouble.faults += 1;
  if (trouble.faults >= FAULTS_MAX) throw new TooManyFaults(STOPPED);
  return file;
}

/**
 * True if the database is unavailable: the same rows will succeed later. A statement that takes too
 * long is tried with fewer rows. True also if the tenant has ended, whose rows nobody imports.
 */
function isNobodysFault(error: unknown): boolean {
  if (isTenantNotFound(error)) return true;
  return error instanceof ProblemError && error.status === 503 && !isTooSlow(error);
}

async function importAtOnce(work: Work, batch: RowBatch): Promise<ImportFile> {
  try {
    return await importGuessing(work, batch, {});
  } catch (error) {
    if (!isIdentifierClash(error)) throw error;
    return await importGuessing(work, batch, { mayGuess: false });
  }
}

async function importGuessing(
  { context, claimed, types }: Work,
  { rows, bytesDone }: RowBatch,
  guessing: { readonly mayGuess?: false },
): Promise<ImportFile> {
  const { isDryRun } = claimed.file;
  const options = { isDryRun, ...guessing };
  const wishes = rows.flatMap((row) => ("problem" in row ? [] : passWishOf(row)));
  if (!isDryRun) {
    return await context.transaction(async (tx) => {
      const results = await fulfilWishes(context, tx, types, wishes, options);
      return await recordBatch(tx, claimed, { outcomes: outcomesOf(rows, results), bytesDone });
    });
  }
  const results = await foresee(context, (tx) => fulfilWishes(context, tx, types, wishes, options));
  const outcomes = outcomesOf(rows, results, isDryRun);
  return await context.transaction((tx) => recordBatch(tx, claimed, { outcomes, bytesDone }));
}

/** What the work would do: it is done and undone. */
async function foresee<Result>(
  context: TenantContext,
  work: (tx: Parameters<Parameters<TenantContext["transaction"]>[0]>[0]) => Promise<Result>,
): Promise<Result> {
  let seen: { readonly result: Result } | undefined;
  try {
    await context.transaction(async (tx) => {
      seen = { result: await work(tx) };
      throw new DryRunEnd();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error;
  }
  if (seen === undefined) throw new Error("A dry run ended without a result.");
  return seen.result;
}

function outcomesOf(
  rows: readonly ReadRow[],
  results: readonly WishResult[],
  isDryRun = false,
): NewOutcome[] {
  let at = 0;
  const outcomes = rows.map((row) => {
    if ("problem" in row) return refusalOf(row);
    const result = results[at];
    at += 1;
    if (result === undefined) throw new Error("A wish has no result.");
    return outcomeOf(row, result, isDryRun);
  });
  return isDryRun ? withoutNew(outcomes, results) : outcomes;
}

/** The passes that a dry run creates are gone when it ends, so their ids mean nothing. */
function withoutNew(outcomes: readonly NewOutcome[], results: readonly WishResult[]): NewOutcome[] {
  const made = new Set(results.flatMap((one) => (one.result === "created" ? one.passId : [])));
  return outcomes.map((outcome) =>
    outcome.passId !== null && made.has(outcome.passId) ? { ...outcome, passId: null } : outcome,
  );
}

function givenUp(row: ReadRow): NewOutcome {
  return "problem" in row ? refusalOf(row) : failureOf(row, FAILED);
}
