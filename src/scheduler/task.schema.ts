import Type, { type Static } from "typebox";
import {
  EXECUTION_EXAMPLE,
  type Execution,
  ExecutionResource,
  presentExecution,
} from "./executions/execution.schema.ts";
import type { Task } from "./schedule.service.ts";
import { TASK_KINDS } from "./schedule.settings.ts";

const Moment = Type.String({ format: "date-time" });

export const TaskView = Type.Object(
  {
    taskId: Type.String(),
    kind: Type.Enum([...TASK_KINDS]),
    cron: Type.String(),
    timeZone: Type.String({ description: "The tenant's, if the task names none." }),
    enabled: Type.Boolean(),
    settings: Type.Record(Type.String(), Type.Unknown()),
    timeLimitSeconds: Type.Integer({ minimum: 1 }),
    nextRunAt: Type.Union([Moment, Type.Null()], {
      description: "The next time by its schedule; null while it is disabled.",
    }),
    lastExecution: Type.Union([ExecutionResource, Type.Null()], {
      description: "The newest one, also while it is running.",
    }),
  },
  { title: "Task" },
);

export function presentTask(
  task: Task,
  nextRunAt: Date | undefined,
  last: Execution | undefined,
): Static<typeof TaskView> {
  return {
    taskId: task.id,
    kind: task.kind,
    cron: task.cron,
    timeZone: task.timeZone,
    enabled: task.enabled,
    settings: { ...task.settings },
    timeLimitSeconds: task.timeLimitSeconds,
    nextRunAt: nextRunAt?.toISOString() ?? null,
    lastExecution: last === undefined ? null : presentExecution(last),
  };
}

export const TASK_EXAMPLE: Static<typeof TaskView> = {
  taskId: "nightly-export",
  kind: "export",
  cron: "30 4 * * *",
  timeZone: "Europe/Paris",
  enabled: true,
  settings: { passType: "loyalty" },
  timeLimitSeconds: 3_600,
  nextRunAt: "2026-02-01T03:30:00.000Z",
  lastExecution: EXECUTION_EXAMPLE,
};
