import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Purger } from "#src/scheduler/public.ts";
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
    for (const tenantId of await listTenantsWithScans(context)) {
      await runInTenant(context, tenantId, (tenant) => purgeScansOf(tenant, signal, ROUNDS_MAX));
    }
  },
});

async function purgeScansOf(
  context: TenantContext,
  signal: AbortSignal,
  roundsMax: number,
): Promise<number> {
  const known = await tenantCacheOf(context.runtime).find(context.tenantId);
  const days = known?.settings.retention?.scanDays;
  if (days === undefined) return 0;
  const before = new Date(context.clock.now().getTime() - days * DAY_MS);
  let total = 0;
  for (let round = 0; round < roundsMax && !signal.aborted; round += 1) {
    const deleted = await context.transaction((tx) => deleteScansBefore(tx, before, BATCH_ROWS));
    total += deleted;
    if (deleted < BATCH_ROWS) break;
  }
  return total;
}

export const scanPurger: Purger = {
  name: "scans",
  purge: (context, signal) => purgeScansOf(context, signal, Number.POSITIVE_INFINITY),
};
