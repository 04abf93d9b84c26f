import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { taskNotFound, taskRunning } from "./executions/execution.errors.ts";
import {
  EXECUTION_EXAMPLE,
  ExecutionResource,
  presentExecution,
  TaskParams,
} from "./executions/execution.schema.ts";
import { runTask } from "./executions/execution.service.ts";
import { TASK_EXAMPLE, TaskView } from "./task.schema.ts";
import { listTasks } from "./task.service.ts";

export const taskList = defineRoute({
  op: "task.list",
  method: "GET",
  url: "/api/:tenantId/scheduler",
  scope: "Scheduler.History",
  summary: "List the scheduled tasks",
  description:
    "As the published file `server/schedule.yml` has them, in its order, with the next time of each and how its last run went.",
  reply: Type.Array(TaskView),
  example: { reply: [TASK_EXAMPLE] },
  handle: listTasks,
});

export const taskRun = defineRoute({
  op: "task.run",
  method: "POST",
  url: "/api/:tenantId/scheduler/:taskId/executions",
  scope: "Scheduler.Run",
  summary: "Run a task now",
  description:
    "Also one that is disabled. The times of its schedule stay as they are. While the task is running, this is refused with 409. The address in `Location` shows how the run goes.",
  params: TaskParams,
  status: 202,
  replyHeaders: ["Location"],
  reply: ExecutionResource,
  errors: [taskNotFound, taskRunning],
  example: {
    reply: {
      ...EXECUTION_EXAMPLE,
      status: "running",
      trigger: "manual",
      scheduledFor: null,
      startedAt: null,
      finishedAt: null,
      createdBy: "crm-sync",
      attempts: 0,
      summary: null,
      counts: {},
      file: null,
    },
  },
  async handle(context, { params: { taskId } }) {
    const execution = await runTask(context, taskId);
    const location = `/api/${context.tenantId}/scheduler/${taskId}/executions/${execution.id}`;
    return answer(presentExecution(execution), { status: 202, headers: { location } });
  },
});
