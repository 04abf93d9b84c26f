import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { extensionDeliveryFailed } from "./inbox.events.ts";
import {
  deleteOldDeliveries,
  endOldWaiting,
  listTenantsOfInboxes,
} from "./inbox-erasure.repository.ts";

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 14;
const BATCH_ROWS = 500;
const WAITED_IN_VAIN =
  "It waited in vain for as long as deliveries are kept, because its connector was switched off.";

const waitingInVain: Purge = { rowsMax: BATCH_ROWS, run: giveUpWaiting };

const oldDeliveries: Purge = {
  rowsMax: BATCH_ROWS,
  async run(tenant) {
    const before = await endOfRetention(tenant);
    return await tenant.transaction((tx) => deleteOldDeliveries(tx, before, BATCH_ROWS));
  },
};

/** Deliveries of vendors go after `retention.inboxDays`. */
export const purgeInboxes = defineJob({
  name: "inbox.purge",
  payload: Type.Object({}),
  cron: "37 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    const tenantIds = await listTenantsOfInboxes(context);
    await purgeInTurns(context, tenantIds, waitingInVain, signal);
    await purgeInTurns(context, tenantIds, oldDeliveries, signal);
  },
});

export const inboxPurger: Purger = {
  name: "inbox",
  async purge(tenant, signal) {
    await purgeTenant(tenant, waitingInVain, signal);
    return await purgeTenant(tenant, oldDeliveries, signal);
  },
};

async function endOfRetention({ runtime, clock, tenantId }: TenantContext): Promise<Date> {
  const settings = (await tenantCacheOf(runtime).find(tenantId))?.settings;
  const days = settings?.retention?.inboxDays ?? RETENTION_DAYS;
  return new Date(clock.now().getTime() - days * DAY_MS);
}

/** Nothing that was acknowledged goes without a word. */
async function giveUpWaiting(tenant: TenantContext): Promise<number> {
  const before = await endOfRetention(tenant);
  return await tenant.transaction(async (tx) => {
    const ended = await endOldWaiting(tx, before, BATCH_ROWS, WAITED_IN_VAIN);
    for (const { id, connector, topic, receivedAt, attempts } of ended) {
      tx.emit(extensionDeliveryFailed, {
        connector,
        deliveryId: id,
        topic,
        receivedAt: receivedAt.toISOString(),
        attempts,
      });
    }
    return ended.length;
  });
}
