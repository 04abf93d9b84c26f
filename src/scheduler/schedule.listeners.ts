import { listen } from "#kernel/events/listen.ts";
import { configurationPublished, tenantDeleted } from "#src/tenants/public.ts";
import { tenantEnded } from "./executions/execution.failures.ts";
import { endRunning } from "./executions/execution.repository.ts";
import { TASK_HINT } from "./executions/execution.signal.ts";
import { deleteSchedule, markPublished } from "./schedule.repository.ts";

/** The file is read by a worker, because a publication should not wait for it. */
export const planOnPublication = listen(configurationPublished, async (tx, events) => {
  for (const { data } of events) markPublished(tx, data.version);
  tx.hint(TASK_HINT, tx.tenantId);
});

export const endWithTenant = listen(tenantDeleted, async (tx) => {
  deleteSchedule(tx);
  const { code, message } = tenantEnded();
  endRunning(tx, { code, message });
});
