import { setImmediate as nextTurn } from "node:timers/promises";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { validationProblem } from "#kernel/errors.ts";
import { type Identifiers, identifiersBusy } from "#src/customers/public.ts";
import { applyChange, type ChangeGround, hasNewContents, nextVersion } from "./pass.change.ts";
import { passIdentifierTaken, passNotFound } from "./pass.errors.ts";
import { passDisabled, passEnabled, passExpired, passUpdated } from "./pass.events.ts";
import * as passes from "./pass.repository.ts";
import { type PassRules, uniqueOf } from "./pass.rules.ts";
import { type FullChange, type Pass, presentPass } from "./pass.schema.ts";
import { groundFor, type PassTypes } from "./pass.types.ts";
import { findHolder } from "./pass-identifier.repository.ts";
import { requirePublishedRules } from "./pass-unique.service.ts";

/** More than one try, because the pass with the same identifier may have been erased meanwhile. */
const TRIES_MAX = 3;
/** Yields to the event loop every 20 passes, so that other requests are served. */
const STRETCH = 20;

/** The result for one pass, and for each change that was requested for it. */
export type ChangedPass = {
  readonly passId: string;
  /** The pass as it is now; undefined if it does not exist. */
  readonly pass: Pass | undefined;
  readonly isUpdated: boolean;
  /** Why each change was refused, in the order of the changes; undefined for accepted changes. */
  readonly problems: readonly (ProblemError | undefined)[];
};

/**
 * Changes many passes in this transaction: each pass gets at most one new version, and one event
 * for each kind of change, however many changes were requested. All changes of passes use this
 * function.
 */
export async function changePasses(
  tx: TenantTx,
  types: PassTypes,
  wanted: ReadonlyMap<string, readonly FullChange[]>,
  now = tx.now,
): Promise<ChangedPass[]> {
  const known = await passes.findPassesForUpdate(tx, [...wanted.keys()]);
  const byId = new Map(known.map((pass) => [pass.id, pass]));
  const together = await claimTogether(tx, types, { byId, wanted, now });
  const results: ChangedPass[] = [];
  const updates: { before: Pass; after: Pass }[] = [];
  let count = 0;
  for (const [passId, changes] of wanted) {
    if (++count % STRETCH === 0) await nextTurn();
    const before = byId.get(passId);
    if (before === undefined) {
      const problems = changes.map(() => passNotFound({ passId }));
      results.push({ passId, pass: undefined, isUpdated: false, problems });
      continue;
    }
    const claimed = together.get(passId);
    const { pass, problems } =
      claimed === undefined
        ? await applyAll(tx, groundFor(types, before, now), before, changes)
        : { pass: claimed, problems: [undefined] };
    const after = nextVersion(before, pass, now);
    if (after !== undefined) updates.push({ before, after });
    results.push({ passId, pass: after ?? before, isUpdated: after !== undefined, problems });
  }
  if (updates.length > 0) {
    await passes.updatePasses(
      tx,
      updates.map(({ after }) => after),
    );
    await types.tell(tx, updates);
  }
  for (const [at, { before, after }] of updates.entries()) {
    if ((at + 1) % STRETCH === 0) await nextTurn();
    tell(tx, before, after);
  }
  return results;
}

type Wanted = {
  readonly byId: ReadonlyMap<string, Pass>;
  readonly wanted: ReadonlyMap<string, readonly FullChange[]>;
  readonly now: Date;
};

/**
 * Claims the new identifiers of many passes in one statement, and returns those passes as they are
 * changed. Left out, and left to `applyAll`: passes with several changes, and those whose change is
 * refused.
 */
async function claimTogether(
  tx: TenantTx,
  types: PassTypes,
  { byId, wanted, now }: Wanted,
): Promise<ReadonlyMap<string, Pass>> {
  const changed = new Map<string, Pass>();
  const gaining: Pass[] = [];
  for (const [passId, [change, ...others]] of wanted) {
    const before = byId.get(passId);
    if (before === undefined || change === undefined || others.length > 0) continue;
    if (!gainsIdentifiers(before, change)) continue;
    const result = applyChange(before, change, groundFor(types, before, now));
    if (!result.ok) continue;
    if (changed.size % STRETCH === 0) await nextTurn();
    changed.set(passId, result.pass);
    const identifiers = without(result.pass.identifiers, before.identifiers);
    gaining.push({ ...result.pass, identifiers });
  }
  // For a single pass nothing is saved.
  if (gaining.length < 2) return new Map();
  const uniqueIn = (passType: string) => types.find(passType)?.rules.unique ?? [];
  await requirePublishedRules(tx, gaining, uniqueIn);
  const complete = await passes.addIdentifiersOfMany(tx, gaining, uniqueIn);
  const inVain = new Set(gaining.flatMap((pass) => (complete.has(pass.id) ? [] : keysOf(pass))));
  const losing: Pass[] = [];
  const undone: Pass[] = [];
  for (const gained of gaining) {
    const [before, after] = [byId.get(gained.id), changed.get(gained.id)];
    if (before === undefined || after === undefined) continue;
    const lost = { ...after, identifiers: without(before.identifiers, after.identifiers) };
    const isComplete = complete.has(gained.id);
    // One gives up what another wants: which of them comes first decides, so they come in turn.
    const isAwaited = isComplete && keysOf(lost).some((key) => inVain.has(key));
    if (isAwaited) undone.push(gained);
    if (isComplete && !isAwaited) losing.push(lost);
    else changed.delete(gained.id);
  }
  await passes.removeIdentifiersOfMany(tx, [...losing, ...undone]);
  return changed;
}

function keysOf({ passType, identifiers }: Pass): string[] {
  return Object.entries(identifiers).map(([name, value]) => `${passType} ${name}=${value}`);
}

function gainsIdentifiers({ identifiers }: Pass, change: FullChange): boolean {
  return Object.entries(change.identifiers ?? {}).some(
    ([name, value]) => value !== null && identifiers[name] !== value,
  );
}

async function applyAll(
  tx: TenantTx,
  ground: ChangeGround,
  before: Pass,
  changes: readonly FullChange[],
): Promise<{ pass: Pass; problems: (ProblemError | undefined)[] }> {
  const problems: (ProblemError | undefined)[] = [];
  let pass = before;
  for (const change of changes) {
    const result = applyChange(pass, change, ground);
    const problem = result.ok
      ? await claimIdentifiers(tx, pass, result.pass, ground.rules)
      : validationProblem(result.errors);
    if (result.ok && problem === undefined) pass = result.pass;
    problems.push(problem);
  }
  return { pass, problems };
}

/**
 * Undefined if the pass now has the new identifiers. Unchanged identifiers are not touched, and old
 * ones are removed only after the new ones were added: a refusal leaves all as they were.
 */
async function claimIdentifiers(
  tx: TenantTx,
  before: Pass,
  after: Pass,
  rules: PassRules,
): Promise<ProblemError | undefined> {
  // Most changes do not concern identifiers.
  if (after.identifiers === before.identifiers) return undefined;
  const identifiers = without(after.identifiers, before.identifiers);
  const claimed = uniqueOf(rules, identifiers);
  await requirePublishedRules(tx, [{ ...after, identifiers }], () => rules.unique);
  for (
    let count = 1;
    !(await passes.addIdentifiers(tx, { ...after, identifiers }, rules.unique));
  ) {
    const holder = await findHolder(tx, after.passType, claimed, after.id);
    if (holder !== undefined) return passIdentifierTaken(holder);
    // Thrown and not returned, so that a change from the queue is tried again instead of failing.
    if (count === TRIES_MAX) throw identifiersBusy();
    count += 1;
  }
  await passes.removeIdentifiers(tx, after.id, without(before.identifiers, after.identifiers));
  return undefined;
}

/** The members of `left` that `right` does not have, or has with another value. */
function without(left: Identifiers, right: Identifiers): Identifiers {
  return Object.fromEntries(Object.entries(left).filter(([name, value]) => right[name] !== value));
}

function tell(tx: TenantTx, before: Pass, after: Pass): void {
  const more = { previous: presentPass(before), subject: after.id };
  if (hasNewContents(before, after)) tx.emit(passUpdated, presentPass(after), more);
  if (before.status === after.status) return;
  const events = { active: passEnabled, disabled: passDisabled, expired: passExpired };
  tx.emit(events[after.status], presentPass(after), more);
}
