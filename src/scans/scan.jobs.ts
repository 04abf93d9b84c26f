import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteScansBefore, listTenantsWithScans } from "./scan.repository.ts";

const DAY_MS = 86_400_000;
const BATCH_ROWS = 1_000;
/** A run deletes at most so many batches of each tenant; the next run deletes the rest. */
const ROUNDS_MAX = 200;

/** Deletes scans that are older than `retention.scanDays`; without that setting they are kept. */
export const purgeScans = defineJob({
  name: "scan.purge",
  payload: Type.Object({}),
  cron: "47 * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    const tenants = tenantCacheOf(context.runtime);
    for (const tenantId of await listTenantsWithScans(context)) {
      const days = (await tenants.find(tenantId))?.settings.retention?.scanDays;
      if (days === undefined) continue;
      const before = new Date(context.clock.now().getTime() - days * DAY_MS);
      for (let round = 0; round < ROUNDS_MAX && !signal.aborted; round += 1) {
        const deleted = await context
          .forTenant(tenantId)
          .transaction((tx) => deleteScansBefore(tx, before, BATCH_ROWS));
        if (deleted < BATCH_ROWS) break;
      }
    }
  },
});
