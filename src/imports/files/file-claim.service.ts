import type { SystemContext, TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { withMeantPasses } from "../outcomes/meant-pass.service.ts";
import { insertOutcomes } from "../outcomes/outcome.repository.ts";
import type { NewOutcome, Outcome, OutcomeKind } from "../outcomes/outcome.schema.ts";
import { importCompleted, importFailed } from "./file.events.ts";
import { dropImportContents } from "./file.jobs.ts";
import { ATTEMPTS_MAX } from "./file.limits.ts";
import { type ImportFile, presentImport } from "./file.schema.ts";
import { IMPORT_HINT } from "./file.signal.ts";
import * as claims from "./file-claim.repository.ts";
import { findSameContents } from "./file-contents.repository.ts";
import { whySuperfluous } from "./file-contents.ts";

/** Files with known contents are skipped in one claim up to this number; the next claim goes on. */
const SKIPPED_MAX = 50;
/** A log has a column for each name; rows with ever new names have theirs in JSON only. */
const NAMES_MAX = 50;

const GIVEN_UP = "The import stopped several times at the same place and was given up.";
/** The `problem` of an import that somebody has stopped. */
export const CANCELLED = "The import was cancelled.";

/** The right to import a file, until its lease ends. */
export type ClaimedFile = { readonly file: ImportFile; readonly claim: string };

/** Thrown where somebody else imports the file by now: nothing of the transaction must stay. */
export class ClaimLost extends Error {
  constructor(fileId: string) {
    super(`The import of ${fileId} was claimed by somebody else.`);
  }
}

/**
 * Claims the file of a tenant that is next: one whose worker died first of all, then the oldest
 * that is ready. Undefined if there is none, or if one is being imported. A file that would do nothing
 * new, because its contents were imported before, is done at once. `claim` is the token of the caller's lease.
 */
export function claimNextFile(
  context: TenantContext,
  claim: string,
): Promise<ClaimedFile | undefined> {
  return context.transaction(async (tx) => {
    claims.lockClaims(tx);
    for (let skipped = 0; skipped < SKIPPED_MAX; skipped += 1) {
      const next = await claims.findNextFile(tx);
      if (next === undefined || next.isClaimed) return undefined;
      if (!(await skip(tx, next, next.attempts))) {
        return { file: await claims.updateToRunning(tx, next.id, claim), claim };
      }
    }
    return undefined;
  });
}

async function skip(tx: TenantTx, file: ImportFile, attempts: number): Promise<boolean> {
  if (attempts >= ATTEMPTS_MAX) {
    await end(tx, file.id, null, { state: "error", problem: GIVEN_UP, duplicateOf: null });
    return true;
  }
  if (file.isCancelled) {
    await end(tx, file.id, null, { state: "error", problem: CANCELLED, duplicateOf: null });
    return true;
  }
  if (file.isDryRun || file.isForced || file.rows > 0) return false;
  const earlier = await findSameContents(tx, file);
  const problem = earlier === undefined ? undefined : whySuperfluous(earlier);
  if (earlier === undefined || problem === undefined) return false;
  await end(tx, file.id, null, { state: "processed", problem, duplicateOf: earlier.id });
  return true;
}

/**
 * Extends these claims, of any tenants, in one statement. Returns those that are still the caller's,
 * with their files as they are now.
 */
export async function renewClaims(
  context: SystemContext,
  tokens: readonly string[],
): Promise<ClaimedFile[]> {
  const renewed = await context.transaction((tx) => claims.renewClaims(tx, tokens));
  return renewed.map(({ claim, ...file }) => ({ file, claim }));
}

/** Gives a file back, so that another process goes on with it at once. */
export async function releaseFile(
  context: TenantContext,
  { file, claim }: ClaimedFile,
): Promise<void> {
  await context.transaction((tx) => claims.releaseClaim(tx, file.id, claim));
}

export type ImportBatch = {
  /** One for each row, in the order of the file, from the first that is not done. */
  readonly outcomes: readonly NewOutcome[];
  /** Where in the file these rows end, as far as it is known. */
  readonly bytesDone: number;
};

/**
 * Writes down what became of rows, in the transaction that changed their passes: each row is done
 * exactly once, whoever dies when. Throws `ClaimLost` if somebody else imports the file by now.
 */
export async function recordBatch(
  tx: TenantTx,
  { file, claim }: ClaimedFile,
  { outcomes, bytesDone }: ImportBatch,
): Promise<ImportFile> {
  const [first] = outcomes;
  if (first === undefined) throw new Error("A batch has at least one row.");
  const counts: Record<OutcomeKind, number> = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const { outcome } of outcomes) counts[outcome] += 1;
  const step = {
    ...counts,
    firstRow: first.row,
    rows: outcomes.length,
    bytesDone: Math.floor(bytesDone),
    identifierNames: namesOf(outcomes),
  };
  const updated = await claims.addProgress(tx, file.id, claim, step);
  if (updated === undefined) throw new ClaimLost(file.id);
  // Afterwards: the outcomes of rows that somebody else has done must not meet those that are there.
  insertOutcomes(tx, file.id, await withMeantPasses(tx, outcomes));
  return updated;
}

function namesOf(outcomes: readonly Outcome[]): string[] {
  const names = new Set<string>();
  for (const { identifiers } of outcomes) for (const name in identifiers) names.add(name);
  return [...names].slice(0, NAMES_MAX);
}

/** Every row was tried. The file behind this one need not wait any longer. */
export async function finishImport(tx: TenantTx, { file, claim }: ClaimedFile): Promise<void> {
  await end(tx, file.id, claim, { state: "processed", problem: null, duplicateOf: null });
  tx.hint(IMPORT_HINT, tx.tenantId);
}

/** The import ends here; `problem` is one sentence for people. What was done stays. */
export async function failImport(
  tx: TenantTx,
  { file, claim }: ClaimedFile,
  problem: string,
): Promise<void> {
  await end(tx, file.id, claim, { state: "error", problem, duplicateOf: null });
  tx.hint(IMPORT_HINT, tx.tenantId);
}

async function end(
  tx: TenantTx,
  fileId: string,
  claim: string | null,
  ending: claims.Ending,
): Promise<void> {
  const ended = await claims.updateToEnded(tx, fileId, claim, ending);
  if (ended === undefined) throw new ClaimLost(fileId);
  tx.emit(ending.state === "error" ? importFailed : importCompleted, presentImport(ended));
  if (ended.erasesContents) tx.enqueue(dropImportContents, {}, { singletonKey: tx.tenantId });
}
