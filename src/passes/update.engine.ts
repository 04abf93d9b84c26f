import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTooSlow, isTransient } from "#kernel/db/failures.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
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
import { askSources, type Delivered } from "./connector.port.ts";
import { passTypesOf } from "./pass.types.ts";
import { Pace } from "./update.pace.ts";
import { findPasses, tryUpdateLock } from "./update.repository.ts";
import { Rounds } from "./update.rounds.ts";
import { failUpdates } from "./update.service.ts";
import { applyUpdates } from "./update.writer.ts";

const OP = "pass.update";
const LANES = 2;
/** All are asked at once, so a batch takes no longer than the slowest answer. */
const ASKED_MAX = 25;
/** Well over the time that sources get. */
const CLAIM_SECONDS = 30;
/** For what no hint told of: a process died, or a hint was lost. */
const SWEEP_MS = 2_000;

/**
 * Does what is queued, in every worker process. All that it knows stands in the database: a batch is
 * one transaction that takes what is to be done, does it and counts it, so whatever dies in between
 * leaves it to the next one as it was.
 */
export class UpdateEngine {
  readonly #runtime: Runtime;
  readonly #applying: Rounds;
  readonly #asking: Rounds;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    const onError = (tenantId: string, err: unknown) =>
      runtime.log.warn({ err, tenantId }, "updates of passes wait for the next try");
    const contextOf = (tenantId: string) => systemCall(runtime, OP, { tenantId });
    const pace = new Pace();
    this.#applying = new Rounds({
      lanes: LANES,
      run: (tenantId) => applyBatch(contextOf(tenantId), pace),
      onError,
    });
    this.#asking = new Rounds({
      lanes: LANES,
      run: (tenantId, signal) => askBatch(contextOf(tenantId), signal),
      onError,
    });
  }

  start(): void {
    this.#runtime.signals.on(JOB_HINT, (tenantId) => this.#wake(tenantId));
    this.#runtime.signals.onGap(() => this.#sweepIn(0));
    this.#sweepIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
    await Promise.all([this.#applying.stop(), this.#asking.stop()]);
  }

  #wake(tenantId: string): void {
    this.#asking.wake(tenantId);
    this.#applying.wake(tenantId);
  }

  #sweepIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep().finally(() => this.#sweepIn(SWEEP_MS));
    }, milliseconds);
  }

  async #sweep(): Promise<void> {
    try {
      const busy = await listBusyTenants(systemCall(this.#runtime, OP));
      for (const tenantId of busy) this.#wake(tenantId);
    } catch (error) {
      this.#runtime.log.warn({ err: error }, "cannot look for updates of passes");
    }
  }
}

/** True when there may be more. */
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

/** One that cannot be changed must not keep the others from it. */
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
  await context.transaction((tx) => failUpdates(tx, passId, failure));
}

/** The database is away, or two were in each other's way: the next try may do better. */
function isNobodysFault(error: unknown): boolean {
  return isTransient(error) || (error instanceof ProblemError && error.status === 503);
}

/** Asks the sources about passes whose changes wait for it; true when there may be more. */
async function askBatch(context: TenantContext, signal: AbortSignal): Promise<boolean> {
  const items = await context.transaction((tx) => claimWaiting(tx, ASKED_MAX, CLAIM_SECONDS));
  if (items.length === 0) return false;
  const passes = await findPasses(context, [...new Set(items.map(({ subject }) => subject))]);
  const answers = await askSources(context, passes, signal);
  // What was cut short is asked again by whoever comes next.
  if (signal.aborted) return false;
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

/** One answer that cannot be stored must not keep the others waiting, nor the change it came with. */
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
