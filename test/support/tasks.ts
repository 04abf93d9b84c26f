import type { TestApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

/** Runs a task now, and returns its execution when that has ended. */
export async function finishTask(api: TestApi, tenantId: string, taskId: string) {
  const key = api.operatorKey;
  const path = `/api/${tenantId}/scheduler/${taskId}/executions`;
  const { status, headers, text } = await api.post(path, { key });
  if (status !== 202) throw new Error(`${path} answered ${status}: ${text}`);
  let last = await api.get(headers.get("location") ?? "", { key });
  await until(
    async () => {
      last = await api.get(headers.get("location") ?? "", { key });
      return last.body.status !== "running";
    },
    () => last.text,
  );
  return last.body;
}
