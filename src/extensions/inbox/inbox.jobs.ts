import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
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
const BATCH = 500;
const WAITED_IN_VAIN =
  "It waited in vain for as long as deliveries are kept, because its connector was switched off.";

/** Deliveries of vendors go after `retention.inboxDays`. */
export const purgeInboxes = defineJob({
  name: "inbox.purge",
  payload: Type.Object({}),
  cron: "37 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    for (const tenantId of await listTenantsOfInboxes(context)) {
      await runInTenant(context, tenantId, (tenant) => purgeOf(tenant, signal));
    }
  },
});

export const inboxPurger: Purger = { name: "inbox", purge: purgeOf };

async function purgeOf(tenant: TenantContext, signal: AbortSignal): Promise<number> {
  const settings = (await tenantCacheOf(tenant.runtime).find(tenant.tenantId))?.settings;
  const days = settings?.retention?.inboxDays ?? RETENTION_DAYS;
  const before = new Date(tenant.clock.now().getTime() - days * DAY_MS);
  await inBatches(signal, () => giveUpWaiting(tenant, before));
  return await inBatches(signal, () =>
    tenant.transaction((tx) => deleteOldDeliveries(tx, before, BATCH)),
  );
}

/** Returns how many there were. */
async function inBatches(signal: AbortSignal, batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) {
    if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
    count = await batch();
  }
  return total;
}

/** Nothing that was acknowledged goes without a word. */
async function giveUpWaiting(tenant: TenantContext, before: Date): Promise<number> {
  return await tenant.transaction(async (tx) => {
    const ended = await endOldWaiting(tx, before, BATCH, WAITED_IN_VAIN);
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
