import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Purger } from "#src/scheduler/public.ts";
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
    let left = await listTenants(context);
    for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
      const unfinished: string[] = [];
      for (const tenantId of left) {
        if (signal.aborted) return;
        const deleted = await runInTenant(context, tenantId, purgeBatch);
        if (deleted === BATCH_ROWS) unfinished.push(tenantId);
      }
      left = unfinished;
    }
  },
});

async function purgeBatch(context: TenantContext): Promise<number> {
  const settings = (await tenantCacheOf(context.runtime).find(context.tenantId))?.settings;
  const days = settings?.retention?.eventDays ?? RETENTION_DAYS_DEFAULT;
  const before = new Date(context.clock.now().getTime() - days * DAY_MS);
  return await context.transaction((tx) => deleteEventsBefore(tx, before, BATCH_ROWS));
}

export const eventPurger: Purger = {
  name: "events",
  async purge(context, signal) {
    let total = 0;
    for (let deleted = BATCH_ROWS; deleted === BATCH_ROWS && !signal.aborted; total += deleted) {
      deleted = await purgeBatch(context);
    }
    return total;
  },
};
