import type { components } from "../../generated/schema.ts";
import { api, type ListPage, take, takePage } from "../api/client.ts";
import { type ListWish, listQuery } from "../api/list-query.ts";

export type Task = components["schemas"]["Task"];
export type Execution = components["schemas"]["Execution"];
export type ExecutionDetail = components["schemas"]["ExecutionDetail"];

/** The beginning of a run is not told, its end is. */
export const TASK_EVENTS = ["task."];
export const tasksOf = (tenantId: string): readonly unknown[] => ["tasks", tenantId];

export const listTasks = (tenantId: string): Promise<readonly Task[]> =>
  take(api.GET("/api/{tenantId}/scheduler", { params: { path: { tenantId } } }));

export const runTask = (tenantId: string, taskId: string): Promise<Execution> =>
  take(
    api.POST("/api/{tenantId}/scheduler/{taskId}/executions", {
      params: { path: { tenantId, taskId } },
    }),
  );

export const listExecutions = (tenantId: string, wish: ListWish): Promise<ListPage<Execution>> =>
  takePage(
    api.GET("/api/{tenantId}/scheduler/executions", {
      params: { path: { tenantId }, query: listQuery(wish) },
    }),
  );

export const getExecution = (
  tenantId: string,
  taskId: string,
  executionId: string,
): Promise<ExecutionDetail> =>
  take(
    api.GET("/api/{tenantId}/scheduler/{taskId}/executions/{executionId}", {
      params: { path: { tenantId, taskId, executionId } },
    }),
  );

export const runName = ({ taskId, executionId }: Execution): string => `${taskId}/${executionId}`;

/** `running` also while it waits for a worker. */
export type State = Execution["status"] | "waiting";
export const stateOf = ({ status, startedAt }: Execution): State =>
  status === "running" && startedAt === null ? "waiting" : status;

/** Seconds from its beginning to its end. */
export function lengthOf({ startedAt, finishedAt }: Execution): number | undefined {
  if (startedAt === null || finishedAt === null) return undefined;
  return (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
}
