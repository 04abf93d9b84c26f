import Type from "typebox";
import { type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteEventsBefore, listTenants } from "./event.repository.ts";

const RETENTION_DAYS_DEFAULT = 30;
const DAY_MS = 86_400_000;
const BATCH_ROWS = 1_000;

const oldEvents: Purge = {
  rowsMax: BATCH_ROWS,
  async run(context) {
    const settings = (await tenantCacheOf(context.runtime).find(context.tenantId))?.settings;
    const days = settings?.retention?.eventDays ?? RETENTION_DAYS_DEFAULT;
    const before = new Date(context.clock.now().getTime() - days * DAY_MS);
    return await context.transaction((tx) => deleteEventsBefore(tx, before, BATCH_ROWS));
  },
};

/**
 * Deletes as many as there are, and ends before the next hour begins. With a limit of 200 batches in an hour, a
 * tenant with more than 55 events in a second kept ever more of them.
 */
export const purgeEvents = defineJob({
  name: "event.purge",
  payload: Type.Object({}),
  cron: "37 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listTenants(context), oldEvents, signal);
  },
});

export const eventPurger: Purger = {
  name: "events",
  purge: (context, signal) => purgeTenant(context, oldEvents, signal),
};
