import Type from "typebox";
import { type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { deleteRefusalsBefore, listTenantsOfRefusals } from "../refusals/refusal.repository.ts";

const BATCH_ROWS = 500;
const KEPT_MS = 30 * 86_400_000;

/** Events that were set aside are shown as long as the events themselves are kept. */
const oldRefusals: Purge = {
  rowsMax: BATCH_ROWS,
  async run(tenant) {
    const before = new Date(tenant.clock.now().getTime() - KEPT_MS);
    return await tenant.transaction((tx) => deleteRefusalsBefore(tx, before, BATCH_ROWS));
  },
};

export const purgeRefusals = defineJob({
  name: "refusal.purge",
  payload: Type.Object({}),
  cron: "53 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listTenantsOfRefusals(context), oldRefusals, signal);
  },
});

export const refusalPurger: Purger = {
  name: "refusedEvents",
  purge: (tenant, signal) => purgeTenant(tenant, oldRefusals, signal),
};
