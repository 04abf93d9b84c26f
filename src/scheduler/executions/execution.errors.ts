import { defineError } from "#kernel/errors.ts";

// Also for tasks and executions of another tenant: callers must not learn that they exist.
export const taskNotFound = defineError({
  code: "task.not-found",
  status: 404,
  title: "Task not found",
  detail: ({ taskId }: { taskId: string }) => `This tenant has no task '${taskId}'.`,
});

export const executionNotFound = defineError({
  code: "execution.not-found",
  status: 404,
  title: "Execution not found",
  detail: ({ taskId, executionId }: { taskId: string; executionId: string }) =>
    `Task '${taskId}' has no execution '${executionId}'.`,
});

export const executionFileNotFound = defineError({
  code: "execution.file-not-found",
  status: 404,
  title: "No file",
  detail: ({ executionId }: { executionId: string }) =>
    `Execution '${executionId}' has no file: it made none, or the file was deleted after its time.`,
});

export const taskRunning = defineError({
  code: "task.running",
  status: 409,
  title: "Task is running",
  detail: ({ taskId }: { taskId: string }) =>
    `Task '${taskId}' is running already: it never overlaps itself.`,
});
