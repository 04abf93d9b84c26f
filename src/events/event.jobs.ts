import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteEventsBefore, listTenants } from "./event.repository.ts";

const RETENTION_DAYS_DEFAULT = 30;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 1_000;
/** A run deletes at most so many batches of each tenant; the next run deletes the rest. */
const ROUNDS_MAX = 200;

/** Deletes in turns, so that a tenant with millions of events does not delay other tenants. */
export const purgeEvents = defineJob({
  name: "event.purge",
  payload: Type.Object({}),
  cron: "37 * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    const tenants = tenantCacheOf(context.runtime);
    let left = await listTenants(context);
    for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
      const unfinished: string[] = [];
      for (const tenantId of left) {
        if (signal.aborted) return;
        const settings = (await tenants.find(tenantId))?.settings;
        const days = settings?.retention?.eventDays ?? RETENTION_DAYS_DEFAULT;
        const before = new Date(context.clock.now().getTime() - days * DAY_MS);
        const deleted = await context
          .forTenant(tenantId)
          .transaction((tx) => deleteEventsBefore(tx, before, BATCH_ROWS));
        if (deleted === BATCH_ROWS) unfinished.push(tenantId);
      }
      left = unfinished;
    }
  },
});
