import type { TenantContext } from "#kernel/context.ts";
import { listLastExecutions } from "./executions/execution.repository.ts";
import { nextRunOf, tasksOf } from "./schedule.service.ts";
import { presentTask } from "./task.schema.ts";

export async function listTasks(context: TenantContext) {
  const tasks = await tasksOf(context);
  const ids = tasks.map(({ id }) => id);
  const executions = await listLastExecutions(context, ids);
  const last = new Map(executions.map((execution) => [execution.taskId, execution]));
  const now = context.clock.now();
  return tasks.map((task) =>
    presentTask(task, task.enabled ? nextRunOf(task, now) : undefined, last.get(task.id)),
  );
}
