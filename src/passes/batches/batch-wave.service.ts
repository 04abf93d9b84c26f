import { setImmediate as nextTurn } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import { passNotActive } from "../notifications/notification.errors.ts";
import { languagesOf, tellHolder } from "../notifications/notification.service.ts";
import { aboutPass } from "../pass.audit.ts";
import { applyChange } from "../pass.change.ts";
import { type CompanionPlan, passCompanions } from "../pass.companions.ts";
import { passIdentifiersDiffer, passNotFound } from "../pass.errors.ts";
import * as passes from "../pass.repository.ts";
import type { Pass } from "../pass.schema.ts";
import { groundFor, type PassTypes } from "../pass.types.ts";
import { changePasses } from "../pass.writer.ts";
import { creationProblems, makePass, welcomePasses } from "../pass-creation.service.ts";
import { erasePasses, findPassesToErase } from "../pass-erasure.service.ts";
import { holdPasses } from "../pass-hold.repository.ts";
import { requirePublishedRules } from "../pass-unique.service.ts";
import { namesOf } from "../updates/update.selection.ts";
import { applyUpdates } from "../updates/update.writer.ts";
import type { UniqueNames } from "./batch.waves.ts";
import {
  changeOf,
  creationOf,
  isChange,
  type PassWish,
  present,
  type WishResult,
} from "./batch.wish.ts";
import { findTargets } from "./batch-target.service.ts";

/** A wish and its place in the batch. */
export type Numbered = { readonly at: number; readonly wish: PassWish };

export type Stage = {
  readonly context: TenantContext;
  readonly tx: TenantTx;
  readonly types: PassTypes;
  readonly uniqueNames: UniqueNames;
  /** Whether identifiers that nobody has now are taken for free until the commit. */
  readonly mayGuess: boolean;
  readonly isDryRun: boolean;
  /** Whether passes are held before they are locked. */
  readonly holds: boolean;
  settle(at: number, result: WishResult): void;
};

/** A wish for a pass that was there when it was looked for; see `Target`. */
type Found = Numbered & { readonly passId: string; readonly foundBy: readonly string[] };

/** A wish together with its pass: locked if it is there, not yet inserted if it is new. */
type Aimed = Numbered & { readonly pass: Pass; readonly isNew: boolean };

/** Yields to the event loop every 20 wishes, so that other requests are served. */
const STRETCH = 20;

/**
 * Fulfils wishes that do not depend on each other. Returns those that come again in the next wave:
 * from the first one on that means the pass of an earlier one by another name, and those whose
 * identifiers somebody else has just taken or changed.
 */
export async function fulfilWave(stage: Stage, wave: readonly Numbered[]): Promise<Numbered[]> {
  const { fresh, there, again } = await sortOut(stage, wave);
  const erasing = there.filter(({ wish }) => wish.action === "delete");
  const { kept, stale } = await lockKept(
    stage,
    there.filter(({ wish }) => wish.action !== "delete"),
  );
  const able = refuseUntold(stage, [...(await makeFresh(stage, fresh)), ...kept]);
  const plans = await planCompanions(stage, able);
  await changeKept(stage, plans);
  again.push(...(await insertFresh(stage, plans)));
  notifyHolders(stage, plans.aimed);
  stale.push(...(await eraseAll(stage, erasing)));
  return [...stale, ...again];
}

type SortedOut = {
  readonly fresh: readonly Numbered[];
  readonly there: readonly Found[];
  readonly again: Numbered[];
};

async function sortOut(stage: Stage, wave: readonly Numbered[]): Promise<SortedOut> {
  const { tx, uniqueNames } = stage;
  const wishes = wave.map(({ wish }) => wish);
  const targets = await findTargets(tx, wishes, uniqueNames);
  const fresh: Numbered[] = [];
  const there = new Map<string, Found>();
  const again: Numbered[] = [];
  for (const [index, item] of wave.entries()) {
    const target = targets[index];
    if (target === undefined || target.kind === "new") fresh.push(item);
    else if (target.kind === "none") fail(stage, item, target.problem);
    else if (there.has(target.passId)) {
      again.push(...wave.slice(index));
      break;
    } else {
      const { passId, foundBy } = target;
      there.set(passId, { ...item, passId, foundBy });
    }
  }
  return { fresh, there: [...there.values()], again };
}

function fail({ settle }: Stage, { at, wish }: Numbered, problem: ProblemError, passId?: string) {
  settle(at, { result: "failed", passId: passId ?? wish.passId, problem });
}

/** `stale` are wishes whose pass was erased or got other identifiers before it could be locked. */
type Locked = { readonly kept: Aimed[]; readonly stale: Numbered[] };

async function lockKept(stage: Stage, there: readonly Found[]): Promise<Locked> {
  if (there.length === 0) return { kept: [], stale: [] };
  const ids = there.map(({ passId }) => passId);
  if (stage.holds) holdPasses(stage.tx, ids);
  return lookAgain(stage, there, await passes.findPassesForUpdate(stage.tx, ids));
}

/** Sorts out wishes by their passes as they are now that nobody else can change them. */
function lookAgain(stage: Stage, there: readonly Found[], locked: readonly Pass[]): Locked {
  const byId = new Map(locked.map((pass) => [pass.id, pass]));
  const kept: Aimed[] = [];
  const stale: Numbered[] = [];
  for (const { passId, foundBy, ...item } of there) {
    const pass = byId.get(passId);
    if (item.wish.passId === undefined && !has(pass, item.wish, foundBy)) {
      stale.push(item);
      continue;
    }
    const problem = pass === undefined ? passNotFound({ passId }) : misfitOf(pass, item.wish);
    if (problem !== undefined) fail(stage, item, problem, pass?.id);
    else if (pass !== undefined) kept.push({ ...item, pass, isNew: false });
  }
  return { kept, stale };
}

/** Whether the pass has these identifiers of the wish. */
function has(pass: Pass | undefined, { identifiers }: PassWish, names: readonly string[]): boolean {
  return pass !== undefined && names.every((name) => pass.identifiers[name] === identifiers[name]);
}

/**
 * Why the wish cannot mean this pass. Identifiers that a change brings are new ones, and claimed when
 * it is made; for everything else they only say which pass is meant, so none may say another one.
 */
function misfitOf(pass: Pass, wish: PassWish): ProblemError | undefined {
  if (wish.passType !== undefined && wish.passType !== pass.passType) {
    const problem = `must be '${pass.passType}', which is the type of this pass`;
    return validationProblem({ passType: [problem] });
  }
  if (isChange(wish) || has(pass, wish, Object.keys(present(wish.identifiers)))) return undefined;
  return passIdentifiersDiffer();
}

async function makeFresh(stage: Stage, fresh: readonly Numbered[]): Promise<Aimed[]> {
  const made: Aimed[] = [];
  for (const [index, item] of fresh.entries()) {
    if ((index + 1) % STRETCH === 0) await nextTurn();
    const pass = makeOne(stage, item);
    if (pass !== undefined) made.push({ ...item, pass, isNew: true });
  }
  return made;
}

function makeOne(stage: Stage, item: Numbered): Pass | undefined {
  const { tx, types } = stage;
  const { passType = "", status } = item.wish;
  const type = types.find(passType);
  if (type === undefined) return undefined;
  const sent = creationOf(item.wish);
  const problems = creationProblems(type, sent);
  const made = problems === undefined ? makePass(tx.now, type, sent) : undefined;
  const changed =
    made?.ok === true && status !== undefined
      ? applyChange(made.pass, { status }, groundFor(types, made.pass, tx.now))
      : undefined;
  const errors =
    problems ??
    (made?.ok === false ? made.errors : undefined) ??
    (changed?.ok === false ? changed.errors : undefined);
  if (errors === undefined && made?.ok === true) return made.pass;
  fail(stage, item, validationProblem(errors ?? {}));
  return undefined;
}

/** Refuses changes whose holder could not be told of them, because the pass is not active then. */
function refuseUntold(stage: Stage, aimed: readonly Aimed[]): Aimed[] {
  const { tx, types } = stage;
  return aimed.filter((item) => {
    const { pass, isNew, wish } = item;
    if (wish.notification === undefined || !isChange(wish)) return true;
    const change = isNew ? { status: wish.status } : changeOf(wish);
    const result = applyChange(pass, change, groundFor(types, pass, tx.now));
    // What the rules refuse is refused when the change is made.
    if (!result.ok || result.pass.status === "active") return true;
    const { id: passId } = pass;
    const problem = passNotActive({ passId, status: result.pass.status });
    fail(stage, item, problem, isNew ? undefined : passId);
    return false;
  });
}

/** What the wishes set in the data of companions, checked before anything is written. */
type Plans = { readonly aimed: readonly Aimed[]; readonly plans: readonly CompanionPlan[] };

async function planCompanions(stage: Stage, aimed: readonly Aimed[]): Promise<Plans> {
  const { context, tx, types } = stage;
  const plans: CompanionPlan[] = [];
  let left = aimed;
  for (const companion of context.runtime.ports.all(passCompanions)) {
    const wishes = left.flatMap(({ wish, pass, isNew }) => {
      const values = wish.companions?.[companion.name];
      if (values === undefined || values.size === 0 || !isChange(wish)) return [];
      const newBy = isNew ? types.find(pass.passType)?.template : undefined;
      return { pass, newBy, values };
    });
    if (wishes.length === 0 || companion.plan === undefined) continue;
    const plan = await companion.plan(tx, wishes);
    plans.push(plan);
    left = left.filter((item) => {
      const problem = plan.problems.get(item.pass.id);
      if (problem !== undefined) {
        fail(stage, item, problem, item.isNew ? undefined : item.pass.id);
      }
      return problem === undefined;
    });
  }
  return { aimed: left, plans };
}

/** Sets the planned values of passes that are written, and says where something changed. */
function writePlans(tx: TenantTx, plans: readonly CompanionPlan[], ids: ReadonlySet<string>) {
  const changed = new Set<string>();
  if (ids.size === 0) return changed;
  for (const plan of plans) for (const id of plan.write(tx, ids)) changed.add(id);
  return changed;
}

async function changeKept(stage: Stage, { aimed, plans }: Plans): Promise<void> {
  const { tx, types, settle } = stage;
  const kept = aimed.filter(({ isNew, wish }) => !isNew && wish.action !== "notify");
  const changes = new Map(kept.map(({ pass, wish }) => [pass.id, changeOf(wish)]));
  const own = [...changes].filter(([, change]) => Object.keys(change).length > 0);
  const applied =
    own.length === 0
      ? []
      : await applyUpdates(
          tx,
          types,
          own.map(([id]) => id),
          new Map(own.map(([id, change]) => [id, [change]])),
        );
  const byId = new Map(applied.map((result) => [result.passId, result]));
  const accepted = kept.filter((item) => {
    const problem = byId.get(item.pass.id)?.ownProblems[0];
    if (problem !== undefined) fail(stage, item, problem, item.pass.id);
    return problem === undefined;
  });
  const revalued = writePlans(tx, plans, new Set(accepted.map(({ pass }) => pass.id)));
  for (const { at, pass, wish } of accepted) {
    const { id } = pass;
    const update = byId.get(id);
    if (update?.isUpdated === true) {
      const changed = namesOf(changes.get(id) ?? {});
      tx.audit({ ...aboutPass(id), after: { version: update.pass?.version, changes: changed } });
    }
    const isTold = wish.notification !== undefined && isChange(wish);
    if (isTold) notify(tx, update?.pass ?? pass, wish);
    const isUpdated = update?.isUpdated === true || revalued.has(id);
    const otherwise = isTold ? "notified" : "unchanged";
    settle(at, { result: isUpdated ? "updated" : otherwise, passId: id });
  }
}

/** Returns the wishes whose identifiers somebody else took since they were looked for. */
async function insertFresh(stage: Stage, { aimed, plans }: Plans): Promise<Numbered[]> {
  const { context, tx, types, uniqueNames, mayGuess, isDryRun, settle } = stage;
  const fresh = aimed.filter(({ isNew }) => isNew);
  if (fresh.length === 0) return [];
  const made = fresh.map(({ pass }) => pass);
  await requirePublishedRules(tx, made, uniqueNames);
  let inserted: ReadonlySet<string> = new Set(made.map(({ id }) => id));
  if (mayGuess) passes.insertPassesUnseen(tx, made, uniqueNames);
  // The longest statements: while they run, what belongs to the passes is made.
  if (mayGuess && !isDryRun) tx.sendAhead();
  if (!mayGuess) inserted = await passes.insertPasses(tx, made, uniqueNames);
  await welcomePasses(
    context,
    tx,
    types,
    made.filter(({ id }) => inserted.has(id)),
  );
  await disableFresh(stage, fresh, inserted);
  writePlans(tx, plans, inserted);
  const again: Numbered[] = [];
  for (const { at, wish, pass } of fresh) {
    if (!inserted.has(pass.id)) {
      again.push({ at, wish });
      continue;
    }
    notify(tx, pass, wish);
    settle(at, { result: "created", passId: pass.id });
  }
  return again;
}

/** A pass begins its life active: one that shall be disabled changes at once. */
async function disableFresh(
  { tx, types }: Stage,
  fresh: readonly Aimed[],
  inserted: ReadonlySet<string>,
): Promise<void> {
  const disabled = fresh.filter(
    ({ wish, pass }) => wish.status === "disabled" && inserted.has(pass.id),
  );
  if (disabled.length === 0) return;
  const changes = disabled.map(({ pass }) => [pass.id, [{ status: "disabled" as const }]] as const);
  await changePasses(tx, types, new Map(changes));
}

function notifyHolders(stage: Stage, aimed: readonly Aimed[]): void {
  const { tx, settle } = stage;
  for (const item of aimed) {
    const { at, pass, wish } = item;
    if (wish.action !== "notify") continue;
    const problem = notify(tx, pass, wish);
    if (problem === undefined) settle(at, { result: "notified", passId: pass.id });
    else fail(stage, item, problem, pass.id);
  }
}

/** Sends the message of a wish, if it has one. */
function notify(tx: TenantTx, pass: Pass, { notification }: PassWish): ProblemError | undefined {
  if (notification === undefined) return undefined;
  const problem = tellHolder(tx, pass, notification);
  if (problem !== undefined) return problem;
  const languages = languagesOf(notification);
  tx.audit({ ...aboutPass(pass.id), after: { notified: true, languages } });
  return undefined;
}

/** Returns the wishes whose pass is not the one that was looked for any more. */
async function eraseAll(stage: Stage, erasing: readonly Found[]): Promise<Numbered[]> {
  if (erasing.length === 0) return [];
  const { context, tx, settle } = stage;
  const ids = erasing.map(({ passId }) => passId);
  const { kept, stale } = lookAgain(stage, erasing, await findPassesToErase(tx, ids));
  for (const { at, pass } of kept) settle(at, { result: "deleted", passId: pass.id });
  const erased = kept.map(({ pass }) => pass);
  if (erased.length > 0) await erasePasses(context, tx, erased);
  return stale;
}
