import Type from "typebox";
import { type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { deleteOldCalls, listTenantsOfCalls } from "./journey.repository.ts";

const DAY_MS = 86_400_000;
/** Vendors repeat a call for a week at most. */
const KEPT_DAYS = 14;
const BATCH_ROWS = 500;

const oldCalls: Purge = {
  rowsMax: BATCH_ROWS,
  async run(tenant) {
    const before = new Date(tenant.clock.now().getTime() - KEPT_DAYS * DAY_MS);
    return await tenant.transaction((tx) => deleteOldCalls(tx, before, BATCH_ROWS));
  },
};

/** After two weeks nobody repeats a call any more. */
export const purgeJourneys = defineJob({
  name: "journey.purge",
  payload: Type.Object({}),
  cron: "43 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listTenantsOfCalls(context), oldCalls, signal);
  },
});

export const journeyPurger: Purger = {
  name: "journeyCalls",
  purge: (tenant, signal) => purgeTenant(tenant, oldCalls, signal),
};
