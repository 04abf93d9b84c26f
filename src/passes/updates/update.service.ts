import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import { FairGate } from "#kernel/fair-gate.ts";
import { newId } from "#kernel/ids.ts";
import {
  insertItems,
  insertSelected,
  type JobRequest,
  lockJobs,
  recordOutcomes,
  startJob,
  takeAnyItems,
} from "#src/jobs/public.ts";
import { askSources, type Delivered, hasMetadataSources } from "../connector.port.ts";
import type { Delivery } from "../deliveries/delivery.schema.ts";
import { tellWallets, tellWalletsOf } from "../deliveries/delivery.service.ts";
import { aboutPass } from "../pass.audit.ts";
import { passNotFound } from "../pass.errors.ts";
import { findPassesForUpdate } from "../pass.repository.ts";
import {
  type Pass,
  type PassChange,
  type PassUpdate,
  type UpdateOptions,
  versionOf,
} from "../pass.schema.ts";
import { getPass } from "../pass.service.ts";
import { passTypesOf } from "../pass.types.ts";
import * as updates from "./update.repository.ts";
import {
  BYPASS_MAX,
  NOT_FOUND_SHOWN_MAX,
  type UpdateAccepted,
  type UpdateResult,
} from "./update.schema.ts";
import {
  changeErrors,
  namesOf,
  type WantedUpdate,
  type WantedUpdates,
} from "./update.selection.ts";
import { type AppliedUpdate, applyUpdates, type OwnChange } from "./update.writer.ts";

const KIND = "pass.update";
const NAMES_SHOWN_MAX = 50;
/** A limit, because identifiers that are not unique may match many passes for each update. */
const FOUND_MAX = 100_000;
/** A limit, because each matching pass gets a copy of its change. */
const COPIED_BYTES_MAX = 64 * 1024 * 1024;
const TOO_MUCH = `must not come to more than ${COPIED_BYTES_MAX} bytes with all the passes they find`;

type NotFound = UpdateAccepted["notFound"];
type Target = { readonly passId: string; readonly change: OwnChange };

/**
 * Queues changes; they are applied in the order in which they were queued. A caller that may ask twice
 * for the same job gives it an id: there is no second job with it.
 */
export async function acceptUpdates(
  context: TenantContext,
  wanted: WantedUpdates,
  options: UpdateOptions,
  jobId?: string,
): Promise<UpdateAccepted> {
  return await context.transaction(async (tx) => {
    const items = newItems(context, tx, options, jobId);
    const { matched, notFound } = await insertWanted(tx, items, wanted);
    const request = requestOf(wanted, options);
    const change = wanted.by === "updates" ? undefined : wanted.change;
    await startJob(tx, { id: items.jobId, kind: KIND, request, change, matched });
    tx.audit({ target: `job:${items.jobId}`, after: { ...request, matched } });
    return { jobId: items.jobId, matched, notFound: notFound.slice(0, NOT_FOUND_SHOWN_MAX) };
  });
}

/** Queues a change of one pass; the caller may require a version by `If-Match`. */
export async function acceptUpdate(
  context: TenantContext,
  passId: string,
  { options = {}, ...change }: PassUpdate,
): Promise<string> {
  requireChange(change, options);
  const expectedVersion = expectedVersionOf(context, await getPass(context, passId));
  return await context.transaction(async (tx) => {
    const items = newItems(context, tx, options);
    await insertItems(tx, items, [{ subject: passId, change, expectedVersion }]);
    const wanted: WantedUpdates = { by: "updates", updates: [{ target: { passId }, change }] };
    const request = { ...requestOf(wanted, options), selection: "passId" };
    await startJob(tx, { id: items.jobId, kind: KIND, request, change: undefined, matched: 1 });
    tx.audit({ ...aboutPass(passId), after: { jobId: items.jobId, ...request } });
    return items.jobId;
  });
}

/**
 * A change of a hundred passes is as much work as a hundred requests, but the rate limit counts
 * one. So each tenant makes one such change at a time, and its other ones wait in turn.
 */
const turns = new FairGate({
  atOnceMax: 2,
  waitingPerGroupMax: 250,
  waitingMax: 1_000,
  waitMsMax: 15_000,
});

/** Changes passes before it answers, together with the changes that are already queued for them. */
export async function updatePassesNow(
  context: TenantContext,
  wanted: WantedUpdates,
  options: UpdateOptions,
): Promise<UpdateResult[]> {
  const run = () => updateInTurn(context, wanted, options);
  const { applied, delivered, notFound } = await turns.run(context.tenantId, run);
  // After the turn: others of the tenant do not wait for Apple and Google.
  const passes = applied.flatMap(({ pass }) => pass ?? []);
  const deliveries = await tellWallets(context, passes);
  return [
    ...applied.flatMap((result) => {
      const { passId } = result;
      return presentResults(result, delivered.get(passId), deliveries.get(passId));
    }),
    ...notFound.map(presentMissing),
  ];
}

type InTurn = {
  readonly applied: readonly AppliedUpdate[];
  readonly delivered: ReadonlyMap<string, Delivered>;
  readonly notFound: NotFound;
};

async function updateInTurn(
  context: TenantContext,
  wanted: WantedUpdates,
  options: UpdateOptions,
): Promise<InTurn> {
  const { targets, notFound } = await resolveNow(context, wanted);
  const byPass = Map.groupBy(targets, ({ passId }) => passId);
  const ids = [...byPass.keys()];
  const delivered = await deliveredFor(context, ids, options);
  const types = await passTypesOf(context);
  const applied = await context.transaction(async (tx) => {
    const changes = new Map(
      ids.map((id) => [id, withMetadata(byPass.get(id) ?? [], delivered.get(id))] as const),
    );
    const results = await applyUpdates(tx, types, ids, changes);
    const request = requestOf(wanted, options);
    tx.audit({ target: `passes:${wanted.by}`, after: { ...request, matched: ids.length } });
    return results;
  });
  return { applied, delivered, notFound };
}

export type UpdatedNow = {
  readonly pass: Pass;
  readonly failures: Delivered["failures"];
  readonly delivery: Delivery;
};

export async function updatePassNow(
  context: TenantContext,
  passId: string,
  { options = {}, ...change }: PassUpdate,
): Promise<UpdatedNow> {
  requireChange(change, options);
  context.requireMatch(versionOf(await getPass(context, passId)));
  const delivered = (await deliveredFor(context, [passId], options)).get(passId);
  const types = await passTypesOf(context);
  const pass = await context.transaction(async (tx) => {
    const [known] = await findPassesForUpdate(tx, [passId]);
    if (known === undefined) throw passNotFound({ passId });
    const expectedVersion = expectedVersionOf(context, known);
    const changes = withMetadata([{ passId, change: { ...change, expectedVersion } }], delivered);
    const [result] = await applyUpdates(tx, types, [passId], new Map([[passId, changes]]));
    const problem = result?.ownProblems[0];
    if (problem !== undefined) throw problem;
    if (result?.pass === undefined) throw passNotFound({ passId });
    tx.audit({
      ...aboutPass(passId),
      after: { version: result.pass.version, changes: namesOf(change).slice(0, NAMES_SHOWN_MAX) },
    });
    return result.pass;
  });
  const delivery = await tellWalletsOf(context, pass);
  return { pass, failures: delivered?.failures ?? [], delivery };
}

/** Fails all changes that are queued for these passes. */
export async function failUpdates(
  tx: TenantTx,
  passIds: readonly string[],
  failureOf: (passId: string) => { readonly code: string; readonly message: string },
): Promise<void> {
  for (;;) {
    const items = await takeAnyItems(tx, passIds);
    if (items.length === 0) return;
    const locked = await lockJobs(tx, [...new Set(items.map(({ jobId }) => jobId))]);
    await recordOutcomes(
      tx,
      locked.filter(({ isOpen }) => isOpen),
      items.map((item) => ({ item, result: "failed", failure: failureOf(item.subject) })),
    );
  }
}

type Items = { readonly jobId: string; readonly isReady: boolean };

function newItems(
  context: TenantContext,
  tx: TenantTx,
  options: UpdateOptions,
  jobId = newId("job", tx.now.getTime()),
): Items {
  const asksFirst = options.UpdateMetadata === true && hasMetadataSources(context);
  return { jobId, isReady: !asksFirst };
}

async function insertWanted(
  tx: TenantTx,
  items: Items,
  wanted: WantedUpdates,
): Promise<{ matched: number; notFound: NotFound }> {
  if (wanted.by === "updates") {
    const { targets, notFound } = await resolveOwn(tx, wanted.updates);
    await insertItems(
      tx,
      items,
      targets.map(({ passId, change }) => ({ subject: passId, change })),
    );
    return { matched: targets.length, notFound };
  }
  const matched = await insertSelected(tx, items, selectionOf(tx, wanted));
  return { matched, notFound: await missingOf(tx, wanted) };
}

type SharedUpdates = Exclude<WantedUpdates, { readonly by: "updates" }>;

function selectionOf(tx: TenantTx, wanted: SharedUpdates): updates.Selection {
  if (wanted.by === "passIds") return updates.selectByIds(tx, wanted.passIds);
  if (wanted.by === "filter") return updates.selectByFilter(tx, wanted.list);
  return updates.selectByIdentifiers(tx, wanted.identifiers);
}

async function missingOf(tx: TenantTx, wanted: SharedUpdates): Promise<NotFound> {
  if (wanted.by === "passIds") return await updates.listMissing(tx, wanted.passIds);
  if (wanted.by === "filter") return [];
  const matched = await updates.listMatchedSets(tx, wanted.identifiers);
  return wanted.identifiers.filter((_set, position) => !matched.has(position));
}

/** In the order sent; identifiers may match several passes. */
async function resolveOwn(
  tx: TenantTx,
  wanted: readonly WantedUpdate[],
): Promise<{ targets: Target[]; notFound: NotFound }> {
  const sets = wanted.flatMap(({ target }) =>
    "identifiers" in target ? [target.identifiers] : [],
  );
  const found = await updates.listMatches(tx, sets, FOUND_MAX + 1);
  if (found.length > FOUND_MAX) {
    throw validationProblem({ updates: [`must not find more than ${FOUND_MAX} passes`] });
  }
  const bySet = Map.groupBy(found, ({ position }) => position);
  const ids = wanted.flatMap(({ target }) => ("passId" in target ? target.passId : []));
  const missing = new Set(await updates.listMissing(tx, ids));
  const targets: Target[] = [];
  const notFound: NotFound = [];
  let set = 0;
  let bytes = 0;
  for (const { target, change } of wanted) {
    if ("passId" in target) {
      if (missing.has(target.passId)) notFound.push(target.passId);
      else targets.push({ passId: target.passId, change });
      continue;
    }
    const matches = bySet.get(set) ?? [];
    set += 1;
    if (matches.length === 0) notFound.push({ ...target.identifiers });
    bytes += matches.length * Buffer.byteLength(JSON.stringify(change));
    if (bytes > COPIED_BYTES_MAX) throw validationProblem({ updates: [TOO_MUCH] });
    for (const { id } of matches) targets.push({ passId: id, change });
  }
  return { targets, notFound };
}

async function resolveNow(
  context: TenantContext,
  wanted: WantedUpdates,
): Promise<{ targets: Target[]; notFound: NotFound }> {
  const sent =
    wanted.by === "passIds" ? wanted.passIds : wanted.by === "updates" ? wanted.updates : [];
  requireFew(wanted.by, sent.length);
  return await context.transaction(async (tx) => {
    if (wanted.by === "updates") {
      const resolved = await resolveOwn(tx, wanted.updates);
      requireFew(wanted.by, resolved.targets.length);
      return resolved;
    }
    const ids = await updates.listSelected(tx, selectionOf(tx, wanted), BYPASS_MAX + 1);
    requireFew(wanted.by, ids.length);
    const targets = ids.map((passId) => ({ passId, change: wanted.change }));
    return { targets, notFound: await missingOf(tx, wanted) };
  });
}

function requireFew(by: string, count: number): void {
  if (count <= BYPASS_MAX) return;
  throw validationProblem({
    [by]: [`must not select more than ${BYPASS_MAX} passes with BypassQueue`],
  });
}

function requireChange(change: PassChange, options: UpdateOptions): void {
  const errors = changeErrors(change, options.UpdateMetadata === true);
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
}

/**
 * Throws 412 if the caller requires another version; returns undefined if it requires none. Others
 * may change the pass before this change is applied, so the version is stored with the change.
 */
function expectedVersionOf(context: TenantContext, pass: Pass): number | undefined {
  context.requireMatch(versionOf(pass));
  return context.namesVersion ? pass.version : undefined;
}

async function deliveredFor(
  context: TenantContext,
  passIds: readonly string[],
  options: UpdateOptions,
): Promise<ReadonlyMap<string, Delivered>> {
  if (options.UpdateMetadata !== true || !hasMetadataSources(context)) return new Map();
  return await askSources(context, await updates.findPasses(context, passIds));
}

/** The sources' answers are added to the last change: together they make one version. */
function withMetadata(targets: readonly Target[], delivered: Delivered | undefined): OwnChange[] {
  return targets.map(({ change }, at) =>
    delivered === undefined || at < targets.length - 1
      ? change
      : { ...change, metadata: delivered.metadata },
  );
}

function requestOf(wanted: WantedUpdates, options: UpdateOptions): JobRequest {
  const changes =
    wanted.by === "updates"
      ? wanted.updates.slice(0, NAMES_SHOWN_MAX).flatMap(({ change }) => namesOf(change))
      : namesOf(wanted.change);
  return {
    selection: wanted.by,
    changes: [...new Set(changes)].slice(0, NAMES_SHOWN_MAX),
    options: { ...options },
  };
}

function presentResults(
  { passId, pass, isUpdated, ownProblems }: AppliedUpdate,
  delivered: Delivered | undefined,
  delivery: Delivery | undefined,
): UpdateResult[] {
  const failures = delivered?.failures ?? [];
  return ownProblems.map((problem) => ({
    passId,
    ...resultOf(pass, isUpdated, problem),
    ...(failures.length === 0 ? {} : { metadataFailures: [...failures] }),
    ...(delivery === undefined ? {} : { delivery }),
  }));
}

function resultOf(
  pass: Pass | undefined,
  isUpdated: boolean,
  problem: ProblemError | undefined,
): Pick<UpdateResult, "result" | "version" | "problem"> {
  if (pass === undefined) return { result: "not-found" };
  const { version } = pass;
  if (problem === undefined) return { result: isUpdated ? "updated" : "unchanged", version };
  const { code, message, errors } = problem;
  const shown = errors === undefined ? {} : { errors: errors as Record<string, string[]> };
  return { result: "failed", version, problem: { code, message, ...shown } };
}

function presentMissing(missing: NotFound[number]): UpdateResult {
  return typeof missing === "string"
    ? { passId: missing, result: "not-found" }
    : { identifiers: missing, result: "not-found" };
}
