import type { TenantTx } from "#kernel/db/transaction.ts";
import { newId } from "#kernel/ids.ts";
import type { Log } from "#kernel/log.ts";
import { listDueForUpdate, type PlannedTask, updateNextRuns } from "../schedule.repository.ts";
import { lastRunOf, nextRunOf } from "../schedule.service.ts";
import { insertExecutions, type NewExecution } from "./execution.repository.ts";
import { EXECUTION_ID_PREFIX } from "./execution.schema.ts";

/** A run that is planned so long after its time was missed: workers look every second. */
const LATE_MS = 60_000;

/**
 * Makes the executions of tasks that are due. Of several times that have passed, because no worker ran
 * or the task itself was still running, only the last one has a run.
 */
export async function planDue(tx: TenantTx, log: Log): Promise<void> {
  const due = await listDueForUpdate(tx);
  const planned = due.flatMap((task) => planOrSkip(task, tx, log));
  if (planned.length === 0) return;
  await insertExecutions(
    tx,
    planned.map(({ nextRunAt: _next, ...execution }) => execution),
  );
  await updateNextRuns(
    tx,
    planned.map(({ taskId, scheduledFor, nextRunAt }) => ({ taskId, scheduledFor, nextRunAt })),
  );
}

type Plan = NewExecution & { readonly scheduledFor: Date; readonly nextRunAt: Date | null };

/**
 * A task may have been planned by a newer release, whose schedules or time zones this one does not
 * know. It is left to others, and the other tasks of the tenant run.
 */
function planOrSkip(task: PlannedTask, { now, tenantId }: TenantTx, log: Log): Plan[] {
  try {
    return [planOf(task, now)];
  } catch (error) {
    const { taskId, cron, timeZone } = task;
    log.error({ err: error, tenantId, taskId, cron, timeZone }, "a task cannot be planned");
    return [];
  }
}

function planOf(task: PlannedTask, now: Date): Plan {
  const dueAt = task.nextRunAt ?? now;
  const scheduledFor = lastRunOf(task, dueAt, now);
  const isLate = scheduledFor > dueAt || now.getTime() - dueAt.getTime() >= LATE_MS;
  return {
    id: newId(EXECUTION_ID_PREFIX, now.getTime()),
    taskId: task.taskId,
    kind: task.kind,
    settings: task.settings,
    timeLimitSeconds: task.timeLimitSeconds,
    trigger: isLate ? "missed" : "schedule",
    scheduledFor,
    nextRunAt: nextRunOf(task, now) ?? null,
  };
}
