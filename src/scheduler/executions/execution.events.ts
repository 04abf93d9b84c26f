import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";
import { timeLimitReached } from "./execution.failures.ts";
import { EXECUTION_EXAMPLE, ExecutionResource } from "./execution.schema.ts";

const { code, message } = timeLimitReached({ seconds: 3_600 });

// Names and fields are a published contract: add, never rename or remove.
export const taskCompleted = defineEvent({
  name: "task.completed",
  version: 1,
  summary: "A run of a scheduled task has succeeded.",
  payload: ExecutionResource,
  example: EXECUTION_EXAMPLE,
});

export const taskFailed = defineEvent({
  name: "task.failed",
  version: 1,
  summary: "A run of a scheduled task has failed; its next time is kept all the same.",
  payload: ExecutionResource,
  example: {
    ...EXECUTION_EXAMPLE,
    status: "failed",
    finishedAt: "2026-01-31T04:30:00.731Z",
    summary: message,
    counts: {},
    problem: { code, message },
    file: null,
  },
});

export const executionEvents: readonly EventDefinition[] = [taskCompleted, taskFailed];
