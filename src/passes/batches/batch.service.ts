import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { identifiersBusy } from "#src/customers/public.ts";
import type { PassTypes } from "../pass.types.ts";
import { awaitHolders, holdPasses } from "../pass-hold.repository.ts";
import { lockPasses } from "../updates/update.repository.ts";
import { wishProblem } from "./batch.rules.ts";
import { sizeOfWave, type UniqueNames } from "./batch.waves.ts";
import type { PassWish, WishResult } from "./batch.wish.ts";
import { findTargets } from "./batch-target.service.ts";
import { fulfilWave, type Numbered, type Stage } from "./batch-wave.service.ts";

/** More than one try, because the pass with the same identifier may have been erased meanwhile. */
const TRIES_MAX = 3;

export type BatchOptions = {
  /** The caller rolls the transaction back: nothing is sent that only the commit needs. */
  readonly isDryRun?: boolean;
  /**
   * False after an error for which `isIdentifierClash` is true: somebody else took an identifier in
   * the same moment. The batch is then written with a look at each.
   */
  readonly mayGuess?: boolean;
  /**
   * True if the transaction may hold passes later on, as receipts do: each is then held before it is
   * locked here (`holdPasses`).
   */
  readonly holds?: boolean;
};

/**
 * Fulfils many wishes in this transaction, with the same rules, events and audit entries as the
 * operations for single passes, by statements for all of them together. Returns what became of each,
 * in the same order: a wish that is refused changes nothing and keeps no other from being fulfilled.
 *
 * The result is the same as if the wishes were fulfilled one after the other. Those that concern the
 * same pass are fulfilled in waves; mostly there is one.
 */
export async function fulfilWishes(
  context: TenantContext,
  tx: TenantTx,
  types: PassTypes,
  wishes: readonly PassWish[],
  { isDryRun = false, mayGuess = tx.mayGuess || isDryRun, holds = false }: BatchOptions = {},
): Promise<WishResult[]> {
  const results: WishResult[] = [];
  const settle = (at: number, result: WishResult) => {
    results[at] = result;
  };
  let waiting: Numbered[] = [];
  for (const [at, wish] of wishes.entries()) {
    const problem = wishProblem(types, wish);
    if (problem === undefined) waiting.push({ at, wish });
    else settle(at, { result: "failed", passId: wish.passId, problem });
  }
  const uniqueNames = uniqueNamesOf(types);
  const stage = { context, tx, types, uniqueNames, settle, mayGuess, isDryRun, holds };
  const nextSize = () =>
    sizeOfWave(
      waiting.map(({ wish }) => wish),
      uniqueNames,
    );
  await holdErased(stage, waiting);
  if (nextSize() < waiting.length) await lockAll(stage, waiting);
  for (let inVain = 0; waiting.length > 0; ) {
    const size = nextSize();
    const again = await fulfilWave(stage, waiting.slice(0, size));
    inVain = again.length === size ? inVain + 1 : 0;
    if (inVain === TRIES_MAX) throw identifiersBusy();
    waiting = [...again, ...waiting.slice(size)];
  }
  return results;
}

function uniqueNamesOf(types: PassTypes): UniqueNames {
  const inType = (passType: string) => types.find(passType)?.rules.unique ?? [];
  const all = [...new Set(types.names.flatMap(inType))];
  return (passType) => (passType === undefined ? all : inType(passType));
}

/** Passes that will be erased are waited for before anything is locked: see `holdPasses`. */
async function holdErased(stage: Stage, waiting: readonly Numbered[]): Promise<void> {
  const erasing = waiting.filter(({ wish }) => wish.action === "delete");
  if (erasing.length > 0) awaitHolders(stage.tx, await listMeant(stage, erasing));
}

/** Several waves would lock their passes one after the other, and not in the order of ids. */
async function lockAll(stage: Stage, waiting: readonly Numbered[]): Promise<void> {
  const ids = await listMeant(stage, waiting);
  if (stage.holds) holdPasses(stage.tx, ids);
  await lockPasses(stage.tx, ids);
}

/** The passes that wishes mean now. */
async function listMeant(
  { tx, uniqueNames }: Stage,
  numbered: readonly Numbered[],
): Promise<string[]> {
  const wishes = numbered.map(({ wish }) => wish);
  const targets = await findTargets(tx, wishes, uniqueNames);
  return targets.flatMap((target) => (target.kind === "there" ? target.passId : []));
}
