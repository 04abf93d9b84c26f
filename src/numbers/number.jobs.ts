import Type from "typebox";
import { type Purge, purgeInTurns } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import { deleteHoursBefore, listNumberedTenants, listTenantsToCount } from "./number.repository.ts";
import { countOn, EVENTS_PER_STEP } from "./number.service.ts";

const DAY_MS = 86_400_000;
/** Two quarters and the same time of the year before. */
const DAYS_KEPT = 400;
const BATCH_ROWS = 1_000;
/** The rest follows in the next run. */
const ROUNDS_MAX = 200;

/** Counts in turns, so that a tenant with millions of events does not delay the others. */
export const countNumbers = defineJob({
  name: "number.count",
  payload: Type.Object({}),
  cron: "* * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    let left = await listTenantsToCount(context);
    for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
      const unfinished: string[] = [];
      for (const tenantId of left) {
        if (signal.aborted) return;
        const counted = await runInTenant(context, tenantId, countOn);
        if (counted === EVENTS_PER_STEP) unfinished.push(tenantId);
      }
      left = unfinished;
    }
  },
});

const oldHours: Purge = {
  rowsMax: BATCH_ROWS,
  async run(tenant) {
    const before = new Date(tenant.clock.now().getTime() - DAYS_KEPT * DAY_MS);
    return await tenant.transaction((tx) => deleteHoursBefore(tx, before, BATCH_ROWS));
  },
};

export const purgeNumbers = defineJob({
  name: "number.purge",
  payload: Type.Object({}),
  cron: "23 4 * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listNumberedTenants(context), oldHours, signal);
  },
});
