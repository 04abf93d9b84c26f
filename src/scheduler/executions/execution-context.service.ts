import type { TenantContext } from "#kernel/context.ts";
import type { Lease } from "#kernel/work/lease.ts";
import { createFileWriter } from "../files/file-writer.service.ts";
import type { LogData, LogLevel, TaskRun } from "../kinds.port.ts";
import * as executions from "./execution.repository.ts";
import { LOG_LENGTH_MAX } from "./execution.schema.ts";

const DATA_MEMBERS_MAX = 20;

/** Thrown into a run that has ended, or that another process has taken over. */
export class RunLost extends Error {}

type RunRight = {
  readonly held: executions.Held;
  readonly lease: Lease;
  readonly signal: AbortSignal;
};

/** What the kind of a task is given for one run. */
export function createRun(
  context: TenantContext,
  { id, settings, progress }: executions.ClaimedExecution,
  { held, lease, signal }: RunRight,
): TaskRun {
  const own = contextWhileHeld(context, held, lease);
  return {
    executionId: id,
    context: own,
    settings,
    signal,
    progress: progress ?? undefined,
    noteProgress: (noted) => own.transaction((tx) => executions.noteProgress(tx, held, noted)),
    log: (level, message, data) => writeLog(context, held, level, message, data),
    ...createFileWriter(own, signal, held),
  };
}

/**
 * A run may go on for a while after its time limit or after its process slept, when its task runs
 * again elsewhere. What it still wants to write is rolled back: the last statement of each of its
 * transactions looks whether the run still has its claim.
 */
function contextWhileHeld(
  context: TenantContext,
  held: executions.Held,
  lease: Lease,
): TenantContext {
  return {
    actor: context.actor,
    requestId: context.requestId,
    op: context.op,
    ip: context.ip,
    clock: context.clock,
    log: context.log,
    runtime: context.runtime,
    tenantId: context.tenantId,
    get tenantSince() {
      return context.tenantSince;
    },
    keepsAnswer: context.keepsAnswer,
    namesVersion: context.namesVersion,
    requireMatch: (version) => context.requireMatch(version),
    read: (statement) => context.read(statement),
    transaction: (work) =>
      context.transaction(async (tx) => {
        const result = await work(tx);
        if (lease.end === "lost" || !(await executions.isHeld(tx, held))) throw new RunLost();
        return result;
      }),
  };
}

async function writeLog(
  context: TenantContext,
  held: executions.Held,
  level: LogLevel,
  message: string,
  data: LogData | undefined,
): Promise<void> {
  const kept = Object.entries(data ?? {})
    .slice(0, DATA_MEMBERS_MAX)
    .map(([name, value]) => [name, typeof value === "string" ? shown(value) : value] as const);
  const line = {
    time: context.clock.now(),
    level,
    message: shown(message),
    data: data === undefined ? null : Object.fromEntries(kept),
  };
  await context.transaction((tx) => executions.insertLog(tx, held, line));
}

/** Other servers may send any text; the database takes no zero character. */
function shown(text: string): string {
  const clean = text.toWellFormed().replaceAll("\0", "\uFFFD");
  return clean.length <= LOG_LENGTH_MAX
    ? clean
    : `${clean.slice(0, LOG_LENGTH_MAX).toWellFormed()}…`;
}
