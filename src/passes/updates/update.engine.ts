import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTooSlow, isTransient } from "#kernel/db/failures.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { isTenantNotFound } from "#kernel/tenant.errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { WorkLoop } from "#kernel/work/work-loop.ts";
import {
  claimWaiting,
  deleteCancelled,
  JOB_HINT,
  type JobItem,
  listBusyTenants,
  listNextSubjects,
  noteFailures,
  updateToReady,
} from "#src/jobs/public.ts";
import { askSources, type Delivered } from "../connector.port.ts";
import { passTypesOf } from "../pass.types.ts";
import { Pace } from "./update.pace.ts";
import { findPasses, tryUpdateLock } from "./update.repository.ts";
import { failUpdates } from "./update.service.ts";
import { applyUpdates } from "./update.writer.ts";

const OP = "pass.update";
/** Per kind of work, because asking sources takes long and must not delay changes. */
const TENANTS_AT_ONCE = 2;
/**
 * All passes of a batch are asked about at once, so a batch takes as long as the slowest answer.
 */
const ASKED_MAX = 25;
/** Much longer than the time limit of sources, so a lease is never renewed. */
const LEASE_SECONDS = 30;
const SWEEP_MS = 2_000;
/** A batch rarely takes a second; this is for a slow database. */
const FINISH_MS = 20_000;

/** The passes of one tenant about which the sources must be asked. */
type Questions = { readonly context: TenantContext; readonly items: readonly JobItem[] };

/**
 * Applies queued changes, in every worker process. Its whole state is in the database. Two loops
 * serve the same tenants: one asks sources about passes whose changes wait for the answers, the
 * other applies changes that are ready.
 */
export class UpdateEngine {
  readonly #applying: WorkLoop<TenantContext>;
  readonly #asking: WorkLoop<Questions>;

  constructor(runtime: Runtime) {
    const contextOf = (tenantId: string) => systemCall(runtime, OP, { tenantId });
    const shared = {
      groupsAtOnceMax: TENANTS_AT_ONCE,
      hint: JOB_HINT,
      noteHint: (tenantId: string) => tenantId,
      sweepMs: SWEEP_MS,
    };
    const pace = new Pace();
    this.#asking = new WorkLoop(
      {
        ...shared,
        name: "pass.ask-sources",
        leaseSeconds: LEASE_SECONDS,
        // A stop need not wait: an interrupted question is asked again later.
        finishMs: 0,
        claim: (tenantId, lease) => claimQuestions(contextOf(tenantId), lease),
        work: askBatch,
      },
      runtime,
    );
    this.#applying = new WorkLoop(
      {
        ...shared,
        name: OP,
        finishMs: FINISH_MS,
        // One sweep serves both loops.
        sweep: async () => {
          const busy = await listBusyTenants(systemCall(runtime, OP));
          for (const tenantId of busy) this.#asking.wake(tenantId);
          return busy;
        },
        // Nothing is claimed in advance: a batch is one transaction that takes changes, applies and
        // counts them. If the process dies in between, everything is as before.
        claim: async (tenantId) => contextOf(tenantId),
        work: (context) => applyBatch(context, pace),
      },
      runtime,
    );
  }

  start(): void {
    this.#asking.start();
    this.#applying.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#applying.stop(), this.#asking.stop()]);
  }
}

/** Returns true if there may be more changes. */
async function applyBatch(context: TenantContext, pace: Pace): Promise<boolean> {
  const { tenantId } = context;
  const types = await passTypesOf(context);
  let passIds: readonly string[] = [];
  try {
    const hasMore = await context.transaction(async (tx) => {
      passIds = [];
      if (!(await tryUpdateLock(tx))) return false;
      if (await deleteCancelled(tx)) return true;
      const next = await listNextSubjects(tx, pace.sizeOf(tenantId));
      passIds = next.subjects;
      if (passIds.length > 0) await applyUpdates(tx, types, passIds);
      return next.hasMore;
    });
    if (passIds.length > 0) pace.faster(tenantId);
    return hasMore;
  } catch (error) {
    if (isNobodysFault(error)) {
      pace.slower(tenantId, passIds.length);
      const [only, ...others] = passIds;
      const isAlone = only !== undefined && others.length === 0;
      if (!isAlone || !isTooSlow(error) || !pace.isHopeless(tenantId, only)) throw error;
      await giveUp(context, only, error);
      return true;
    }
    if (passIds.length === 0) throw error;
    context.log.error({ err: error, tenantId }, "a batch of updates failed");
    for (const passId of passIds) await applyOne(context, passId);
    return true;
  }
}

/**
 * Applies the changes of one pass alone, so that a pass that cannot be changed does not block the
 * others.
 */
async function applyOne(context: TenantContext, passId: string): Promise<void> {
  const types = await passTypesOf(context);
  try {
    await context.transaction((tx) => applyUpdates(tx, types, [passId]));
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    await giveUp(context, passId, error);
  }
}

async function giveUp(context: TenantContext, passId: string, error: unknown): Promise<void> {
  const facts = { err: error, tenantId: context.tenantId, passId };
  context.log.error(facts, "a pass cannot be updated");
  const failure = { code: "pass.update-failed", message: "The pass could not be updated." };
  await context.transaction((tx) => failUpdates(tx, [passId], () => failure));
}

/**
 * True if the database is unavailable or a deadlock happened: another try may succeed. True also if the
 * tenant has ended.
 */
function isNobodysFault(error: unknown): boolean {
  if (isTenantNotFound(error)) return true;
  return isTransient(error) || (error instanceof ProblemError && error.status === 503);
}

async function claimQuestions(
  context: TenantContext,
  lease: Lease,
): Promise<Questions | undefined> {
  const items = await context.transaction((tx) => {
    lease.begin();
    return claimWaiting(tx, ASKED_MAX, lease.seconds);
  });
  return items.length === 0 ? undefined : { context, items };
}

/**
 * Asks the sources about the passes of one batch; returns true if there may be more. Rows of
 * `job_item` have no token: an answer is stored only if there is none yet, and it does not matter
 * which process asked.
 */
async function askBatch({ context, items }: Questions, lease: Lease): Promise<boolean> {
  const passes = await findPasses(context, [...new Set(items.map(({ subject }) => subject))]);
  const answers = await askSources(context, passes, lease.signal);
  if (lease.isOver) return false;
  try {
    await keepAnswers(context, items, answers);
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    const facts = { err: error, tenantId: context.tenantId };
    context.log.error(facts, "what sources delivered cannot be stored");
    for (const item of items) await keepAnswer(context, item, answers);
  }
  return items.length === ASKED_MAX;
}

/** An answer that cannot be stored must block neither the other answers nor its own change. */
async function keepAnswer(
  context: TenantContext,
  item: JobItem,
  answers: ReadonlyMap<string, Delivered>,
): Promise<void> {
  try {
    await keepAnswers(context, [item], answers);
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    const failure = { source: "", message: "What the sources delivered could not be stored." };
    const nothing = { metadata: {}, failures: [failure] };
    await keepAnswers(context, [item], new Map([[item.subject, nothing]]));
  }
}

function keepAnswers(
  context: TenantContext,
  items: readonly JobItem[],
  answers: ReadonlyMap<string, Delivered>,
): Promise<void> {
  return context.transaction(async (tx) => {
    const rows = items.map(({ sequence, subject }) => ({
      sequence,
      delivered: answers.get(subject)?.metadata ?? {},
    }));
    const ready = await updateToReady(tx, rows);
    const failures = items
      .filter(({ sequence }) => ready.has(sequence))
      .flatMap(({ jobId, subject }) =>
        (answers.get(subject)?.failures ?? []).map(({ message }) => ({
          jobId,
          subject,
          code: "pass.source-failed",
          message,
        })),
      );
    await noteFailures(tx, failures);
    tx.hint(JOB_HINT, tx.tenantId);
  });
}
