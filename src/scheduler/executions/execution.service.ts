import type { TenantContext } from "#kernel/context.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import { newId } from "#kernel/ids.ts";
import { tasksOf } from "../schedule.service.ts";
import { executionNotFound, taskNotFound, taskRunning } from "./execution.errors.ts";
import * as executions from "./execution.repository.ts";
import { EXECUTION_ID_PREFIX, type Execution, type LogLine } from "./execution.schema.ts";
import { TASK_HINT } from "./execution.signal.ts";

/** Also for a task that was removed from the file, as long as its executions are kept. */
export async function listExecutionsOfTask(
  context: TenantContext,
  taskId: string,
  input: ListInput,
): Promise<Answer> {
  const isInFile = (await tasksOf(context)).some(({ id }) => id === taskId);
  if (!isInFile && !(await executions.hasExecutions(context, taskId))) {
    throw taskNotFound({ taskId });
  }
  return await executions.listExecutions(context, input, taskId);
}

export async function getExecution(
  context: TenantContext,
  taskId: string,
  executionId: string,
): Promise<Execution> {
  const execution = await executions.findExecution(context, taskId, executionId);
  if (execution === undefined) throw executionNotFound({ taskId, executionId });
  return execution;
}

export type LoggedExecution = { readonly execution: Execution; readonly logs: LogLine[] };

export async function getLoggedExecution(
  context: TenantContext,
  taskId: string,
  executionId: string,
): Promise<LoggedExecution> {
  const execution = await getExecution(context, taskId, executionId);
  return { execution, logs: await executions.listLogs(context, executionId) };
}

/** A worker takes it at once. A task that is disabled can be run too: that is how to try it. */
export async function runTask(context: TenantContext, taskId: string): Promise<Execution> {
  const task = (await tasksOf(context)).find(({ id }) => id === taskId);
  if (task === undefined) throw taskNotFound({ taskId });
  const { kind, settings, timeLimitSeconds } = task;
  return await context.transaction(async (tx) => {
    const id = newId(EXECUTION_ID_PREFIX, tx.now.getTime());
    const asked = { trigger: "manual", scheduledFor: null } as const;
    const made = { id, taskId, kind, settings, timeLimitSeconds, ...asked };
    const [execution] = await executions.insertExecutions(tx, [made]);
    if (execution === undefined) throw taskRunning({ taskId });
    tx.audit({ target: `task:${taskId}`, after: { executionId: id, kind } });
    tx.hint(TASK_HINT, tx.tenantId);
    return execution;
  });
}
