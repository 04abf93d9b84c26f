import { setTimeout as sleep } from "node:timers/promises";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { TaskFailure, type TaskKind, type TaskRun, taskKinds } from "../kinds.port.ts";
import { taskCompleted, taskFailed } from "./execution.events.ts";
import * as failures from "./execution.failures.ts";
import * as executions from "./execution.repository.ts";
import { type ExecutionProblem, presentExecution } from "./execution.schema.ts";
import { createRun, RunLost } from "./execution-context.service.ts";
import { type DatabaseFailure, databaseFailureOf } from "./execution-database.service.ts";

/** A run that kills its process is not tried for ever. */
const ATTEMPTS_MAX = 3;
/** How long a run may take to end after its signal was aborted. */
const ABORT_MS = 10_000;
/** How often a step is tried for which the database has no capacity, or not enough time. */
const TRIES_MAX = 5;
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 5_000;

const UNEXPECTED: ExecutionProblem = {
  code: "execution.unexpected",
  message: "Something unexpected happened. The operator finds it in the log of the service.",
};

export type RunRight = {
  readonly lease: Lease;
  /** Aborted when the execution was ended by others, such as with its tenant. */
  readonly endedElsewhere: AbortSignal;
};

type Attempt = RunRight & {
  readonly context: TenantContext;
  readonly execution: executions.ClaimedExecution;
};

/**
 * Runs one claimed execution to its end, or gives it back if the process stops before. `lost`: the
 * process slept or could not reach the database for longer than its lease.
 */
export async function runExecution(
  context: TenantContext,
  execution: executions.ClaimedExecution,
  right: RunRight,
): Promise<"done" | "lost"> {
  const { lease } = right;
  const held = { id: execution.id, token: lease.token };
  const attempt = { ...right, context, execution };
  const end = await endOf(attempt);
  if (end !== undefined) await record(attempt, held, end);
  else if (lease.end === "stopped") {
    await context.transaction((tx) => executions.releaseExecution(tx, held));
  }
  return lease.end === "lost" ? "lost" : "done";
}

/** Tried for as long as the lease lasts: otherwise all the work would be done again. */
async function record(
  { context, lease }: Attempt,
  held: executions.Held,
  end: executions.ExecutionEnd,
): Promise<void> {
  for (let pauseMs = PAUSE_MS_MIN; lease.end !== "lost"; pauseMs *= 2) {
    try {
      await context.transaction(async (tx) => {
        const ended = await executions.endExecution(tx, held, end);
        if (ended === undefined) return;
        tx.emit(ended.status === "succeeded" ? taskCompleted : taskFailed, presentExecution(ended));
      });
      return;
    } catch (error) {
      if (databaseFailureOf(error) === undefined || lease.end === "stopped") throw error;
      await sleep(Math.min(PAUSE_MS_MAX, pauseMs));
    }
  }
}

/** Undefined if the run was cut short: the process stops, the lease was lost, or others ended it. */
async function endOf(attempt: Attempt): Promise<executions.ExecutionEnd | undefined> {
  const { context, execution, lease, endedElsewhere } = attempt;
  const isOver = () => lease.isOver || endedElsewhere.aborted;
  for (let tries = 1; ; tries += 1) {
    try {
      const { attempts } = execution;
      if (attempts > ATTEMPTS_MAX) throw failures.processLost({ attempts: attempts - 1 });
      const { summary, counts } = await runInTime(attempt, tries);
      return { status: "succeeded", summary, counts, problem: null };
    } catch (error) {
      const failure = databaseFailureOf(error);
      if (isOver() || error instanceof RunLost) return undefined;
      const last = failure === undefined ? error : lastFailure(attempt, failure, tries);
      if (last !== undefined) return failedBy(last, context, execution);
      context.log.warn({ err: error, executionId: execution.id, tries }, "a run is tried again");
      const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** (tries - 1));
      await sleep(pauseMs, undefined, { signal: lease.signal }).catch(() => undefined);
      if (isOver()) return undefined;
    }
  }
}

/** How a run ends that the database failed; undefined if it is tried again. */
function lastFailure(
  { context, execution }: Attempt,
  failure: DatabaseFailure,
  tries: number,
): TaskFailure | undefined {
  const { timeLimitSeconds: seconds } = execution;
  if (failure === "too-slow" && tries >= TRIES_MAX) return failures.databaseTooSlow({ tries });
  if (failure === "busy" && tries >= TRIES_MAX) return failures.databaseBusy({ tries });
  return leftMsOf(context, execution) > 0
    ? undefined
    : failures.databaseUnavailableFor({ seconds });
}

function failedBy(
  error: unknown,
  context: TenantContext,
  { id }: executions.ClaimedExecution,
): executions.ExecutionEnd {
  const problem = problemOf(error);
  if (problem === UNEXPECTED) {
    const facts = { err: error, tenantId: context.tenantId, executionId: id };
    context.log.error(facts, "a run of a task failed");
  }
  return { status: "failed", summary: problem.message, counts: {}, problem };
}

/** Errors that were not written for callers may contain anything. */
function problemOf(error: unknown): ExecutionProblem {
  if (error instanceof TaskFailure || error instanceof ProblemError) {
    return { code: error.code, message: error.message };
  }
  return UNEXPECTED;
}

/** What is left of the time limit, which counts from the first attempt. */
function leftMsOf(
  { clock }: TenantContext,
  { timeLimitSeconds, startedAt }: executions.ClaimedExecution,
): number {
  const now = clock.now().getTime();
  const spentMs = Math.max(0, now - (startedAt?.getTime() ?? now));
  return Math.max(0, timeLimitSeconds * 1_000 - spentMs);
}

async function runInTime({ context, execution, lease, endedElsewhere }: Attempt, tries: number) {
  const kind = context.runtime.ports.all(taskKinds).find(({ kind }) => kind === execution.kind);
  if (kind === undefined) throw failures.kindUnavailable({ kind: execution.kind });
  const { timeLimitSeconds: seconds, attempts } = execution;
  const leftMs = leftMsOf(context, execution);
  if (leftMs === 0 && tries > 1) throw failures.databaseUnavailableFor({ seconds });
  if (leftMs === 0 && attempts > 1) throw failures.interruptedTooLong({ seconds });
  const late = new AbortController();
  const finished = new AbortController();
  const overdue = async (): Promise<never> => {
    await sleep(leftMs, undefined, { signal: finished.signal });
    late.abort(failures.timeLimitReached({ seconds }));
    // A run that ignores its signal must not keep its task from ever running again.
    await sleep(ABORT_MS, undefined, { signal: finished.signal });
    throw failures.timeLimitReached({ seconds });
  };
  const signal = AbortSignal.any([late.signal, lease.signal, endedElsewhere]);
  const held = { id: execution.id, token: lease.token };
  const run = createRun(context, execution, { held, lease, signal });
  try {
    return await Promise.race([start(kind, run), overdue()]);
  } catch (error) {
    if (late.signal.aborted) throw failures.timeLimitReached({ seconds });
    throw error;
  } finally {
    finished.abort();
  }
}

/** The settings fit the kind: they were checked when their file was published. */
function start(kind: TaskKind, run: TaskRun) {
  return (kind as { run(run: TaskRun): ReturnType<TaskKind["run"]> }).run(run);
}
