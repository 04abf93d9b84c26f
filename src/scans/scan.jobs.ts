import Type from "typebox";
import { type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteScansBefore, listTenantsWithScans } from "./scan.repository.ts";

const DAY_MS = 86_400_000;
const BATCH_ROWS = 1_000;

const oldScans: Purge = {
  rowsMax: BATCH_ROWS,
  async run(context) {
    const known = await tenantCacheOf(context.runtime).find(context.tenantId);
    const days = known?.settings.retention?.scanDays;
    if (days === undefined) return 0;
    const before = new Date(context.clock.now().getTime() - days * DAY_MS);
    return await context.transaction((tx) => deleteScansBefore(tx, before, BATCH_ROWS));
  },
};

/** Deletes scans that are older than `retention.scanDays`; without that setting they are kept. */
export const purgeScans = defineJob({
  name: "scan.purge",
  payload: Type.Object({}),
  cron: "47 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listTenantsWithScans(context), oldScans, signal);
  },
});

export const scanPurger: Purger = {
  name: "scans",
  purge: (context, signal) => purgeTenant(context, oldScans, signal),
};
