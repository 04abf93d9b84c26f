import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { deleteOldCalls, listTenantsOfCalls } from "./journey.repository.ts";

const DAY_MS = 86_400_000;
/** Vendors repeat a call for a week at most. */
const KEPT_DAYS = 14;
const BATCH = 500;

/** After two weeks nobody repeats a call any more. */
export const purgeJourneys = defineJob({
  name: "journey.purge",
  payload: Type.Object({}),
  cron: "43 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    for (const tenantId of await listTenantsOfCalls(context)) {
      await runInTenant(context, tenantId, (tenant) => purgeOf(tenant, signal));
    }
  },
});

export const journeyPurger: Purger = { name: "journeyCalls", purge: purgeOf };

async function purgeOf(tenant: TenantContext, signal: AbortSignal): Promise<number> {
  const before = new Date(tenant.clock.now().getTime() - KEPT_DAYS * DAY_MS);
  let deleted = 0;
  for (let count = BATCH; count === BATCH; deleted += count) {
    if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
    count = await tenant.transaction((tx) => deleteOldCalls(tx, before, BATCH));
  }
  return deleted;
}
