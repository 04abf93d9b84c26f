import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { problem } from "#kernel/http/problem.ts";
import {
  type JobItem,
  type LockedJob,
  lockJobs,
  type Outcome,
  recordOutcomes,
  takeAnyItems,
  takeItems,
} from "#src/jobs/public.ts";
import type { FullChange, Pass, PassChange } from "../pass.schema.ts";
import type { PassTypes } from "../pass.types.ts";
import { type ChangedPass, changePasses } from "../pass.writer.ts";
import { lockPasses } from "./update.repository.ts";

/** With `expectedVersion`, the change is refused if the pass has another version by then. */
export type OwnChange = FullChange & { readonly expectedVersion?: number | undefined };

/** The result for a pass, and for the changes that came with the call itself. */
export type AppliedUpdate = Omit<ChangedPass, "problems"> & {
  readonly ownProblems: readonly (ProblemError | undefined)[];
};

const CHANGED_MEANWHILE = "The pass has changed since the version in If-Match.";
const NOT_ASKED = {
  code: "pass.source-failed",
  message: "The sources were not asked: a change that bypassed the queue came meanwhile.",
};
const NONE: ReadonlyMap<string, readonly OwnChange[]> = new Map();

/**
 * Applies everything that is queued for these passes, in the order of acceptance, and then the
 * changes of the call: one version and one event for each pass. The lock on a pass prevents two
 * transactions from mixing its changes. The changes of the call never overtake queued ones: a
 * queued change that still waits for sources is applied before them, without the answers.
 */
export async function applyUpdates(
  tx: TenantTx,
  types: PassTypes,
  passIds: readonly string[],
  own: ReadonlyMap<string, readonly OwnChange[]> = NONE,
): Promise<AppliedUpdate[]> {
  const versions = await lockPasses(tx, passIds);
  if (own.size === 0) {
    const taken = await takeQueued(tx, passIds, takeItems);
    return await applyTaken(tx, types, { passIds, versions, taken, own });
  }
  let taken = await takeQueued(tx, passIds, takeAnyItems);
  // Usually one part; a queue that is too long for one part makes several versions.
  for (let next = taken; next.count > 0; taken = next) {
    next = await takeQueued(tx, passIds, takeAnyItems);
    if (next.count === 0) break;
    await applyTaken(tx, types, { passIds, versions, taken, own: NONE });
  }
  return await applyTaken(tx, types, { passIds, versions, taken, own });
}

type Part = {
  readonly passIds: readonly string[];
  readonly versions: Map<string, number>;
  readonly taken: Taken;
  readonly own: ReadonlyMap<string, readonly OwnChange[]>;
};

async function applyTaken(tx: TenantTx, types: PassTypes, part: Part): Promise<AppliedUpdate[]> {
  const { passIds, versions, own } = part;
  const { jobs, queued } = part.taken;
  const wanted = new Map<string, readonly OwnChange[]>();
  for (const id of passIds) {
    const waiting = (queued.get(id) ?? []).map((item) => changeOf(item, jobs));
    const changes = [...waiting, ...(own.get(id) ?? [])];
    if (changes.length > 0) wanted.set(id, changes);
    const cause = jobs.get(queued.get(id)?.at(-1)?.jobId ?? "")?.requestId;
    if (!own.has(id) && typeof cause === "string") tx.causedBy(id, cause);
  }
  if (wanted.size === 0) return [];
  const changed = await changeInTurn(tx, types, wanted, versions);
  const outcomes = changed.flatMap(({ passId, steps }) =>
    (queued.get(passId) ?? []).map((item, at) => outcomeOf(item, steps[at])),
  );
  if (outcomes.length > 0) await recordOutcomes(tx, [...jobs.values()], outcomes);
  return changed.map(({ passId, pass, steps }) => {
    const ownSteps = steps.slice(queued.get(passId)?.length ?? 0);
    const isUpdated = ownSteps.some((step) => step.isUpdated);
    return { passId, pass, isUpdated, ownProblems: ownSteps.map(({ problem }) => problem) };
  });
}

type Step = { readonly isUpdated: boolean; readonly problem: ProblemError | undefined };
type Turns = { readonly passId: string; pass: Pass | undefined; readonly steps: Step[] };

/**
 * Changes most passes in one turn. A change that requires a version starts another turn of its
 * pass, because only then the version made by the changes before it is known.
 */
async function changeInTurn(
  tx: TenantTx,
  types: PassTypes,
  wanted: ReadonlyMap<string, readonly OwnChange[]>,
  versions: Map<string, number>,
): Promise<Turns[]> {
  const turns = new Map<string, Turns>();
  for (const passId of wanted.keys()) turns.set(passId, { passId, pass: undefined, steps: [] });
  for (let left = wanted; left.size > 0; ) {
    const now = new Map<string, readonly OwnChange[]>();
    const later = new Map<string, readonly OwnChange[]>();
    for (const [passId, changes] of left) {
      const { refused, first, others } = splitTurn(changes, versions.get(passId));
      turns.get(passId)?.steps.push(...refused.map((problem) => ({ isUpdated: false, problem })));
      if (first.length > 0) now.set(passId, first);
      if (others.length > 0) later.set(passId, others);
    }
    for (const { passId, pass, isUpdated, problems } of await changePasses(tx, types, now)) {
      const own = turns.get(passId);
      if (own === undefined) continue;
      own.pass = pass;
      own.steps.push(...problems.map((problem) => ({ isUpdated, problem })));
      if (pass !== undefined) versions.set(passId, pass.version);
    }
    left = later;
  }
  return [...turns.values()];
}

type Turn = {
  readonly refused: readonly ProblemError[];
  readonly first: readonly OwnChange[];
  readonly others: readonly OwnChange[];
};

function splitTurn(changes: readonly OwnChange[], version: number | undefined): Turn {
  const isWrong = ({ expectedVersion }: OwnChange) =>
    expectedVersion !== undefined && version !== undefined && expectedVersion !== version;
  const allowed = changes.findIndex((change) => !isWrong(change));
  const start = allowed === -1 ? changes.length : allowed;
  const next = changes.findIndex(
    ({ expectedVersion }, at) => at > start && expectedVersion !== undefined,
  );
  const end = next === -1 ? changes.length : next;
  return {
    refused: changes.slice(0, start).map(() => problem("preconditionFailed", CHANGED_MEANWHILE)),
    first: changes.slice(start, end),
    others: changes.slice(end),
  };
}

type Taken = {
  readonly count: number;
  readonly jobs: ReadonlyMap<string, LockedJob>;
  readonly queued: ReadonlyMap<string, readonly JobItem[]>;
};

/** Changes of cancelled jobs are taken from the queue but not applied. */
async function takeQueued(
  tx: TenantTx,
  passIds: readonly string[],
  take: typeof takeItems,
): Promise<Taken> {
  const items = await take(tx, passIds);
  const count = items.length;
  if (count === 0) return { count, jobs: new Map(), queued: new Map() };
  const locked = await lockJobs(tx, [...new Set(items.map(({ jobId }) => jobId))]);
  const jobs = new Map(locked.filter(({ isOpen }) => isOpen).map((job) => [job.id, job]));
  const live = items.filter(({ jobId }) => jobs.has(jobId));
  return { count, jobs, queued: Map.groupBy(live, ({ subject }) => subject) };
}

function changeOf(item: JobItem, jobs: ReadonlyMap<string, LockedJob>): OwnChange {
  const sent = (item.change ?? jobs.get(item.jobId)?.change ?? {}) as PassChange;
  const { expectedVersion } = item;
  const change = expectedVersion === null ? sent : { ...sent, expectedVersion };
  if (item.delivered === null) return change;
  return { ...change, metadata: item.delivered as Record<string, unknown> };
}

function outcomeOf(item: JobItem, step: Step | undefined): Outcome {
  const { problem: refusal, isUpdated = false } = step ?? {};
  if (refusal !== undefined) {
    return { item, result: "failed", failure: { code: refusal.code, message: refusal.message } };
  }
  const failure = item.isReady ? undefined : NOT_ASKED;
  return { item, result: isUpdated ? "updated" : "unchanged", failure };
}
