import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob, type JobContext } from "#kernel/jobs/define.ts";
import { runInTenant } from "#kernel/jobs/run-in-tenant.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteEndedSecrets } from "../webhook.repository.ts";
import { deleteCountsBefore, listCountedTenants } from "./delivery-count.repository.ts";
import * as upkeep from "./delivery-upkeep.repository.ts";

const DELIVERY_DAYS_DEFAULT = 30;
/** As long as the other numbers of a tenant are kept. */
const COUNT_DAYS_KEPT = 400;
const DAY_MS = 86_400_000;
const PURGE_BATCH = 1_000;
/** After so many batches of each webhook, the rest is left to the next run. */
const PURGE_ROUNDS_MAX = 200;

/**
 * Deletes a little of each webhook in turn, so that a webhook with millions of rows does not delay
 * the others.
 */
export const purgeDeliveries = defineJob({
  name: "delivery.purge",
  payload: Type.Object({}),
  cron: "47 * * * *",
  concurrency: 1,
  timeoutSeconds: 600,
  async run(context, _payload, signal) {
    await purgeSecrets(context, signal);
    await purgeCounts(context);
    let left = (await upkeep.listLoggedWebhooks(context)).map((one) => ({ ...one, after: "" }));
    for (let round = 0; round < PURGE_ROUNDS_MAX && left.length > 0; round += 1) {
      const unfinished: Purged[] = [];
      for (const purged of left) {
        if (signal.aborted) return;
        const done = await runInTenant(context, purged.tenantId, (tenant) =>
          purgeBatch(tenant, purged),
        );
        if (done?.last !== undefined) unfinished.push({ ...purged, after: done.last });
      }
      left = unfinished;
    }
  },
});

type Purged = upkeep.LoggedWebhook & { readonly after: string };

async function purgeSecrets(context: JobContext, signal: AbortSignal): Promise<void> {
  for (let deleted = PURGE_BATCH; deleted === PURGE_BATCH && !signal.aborted; ) {
    deleted = await context.transaction((tx) => deleteEndedSecrets(tx, PURGE_BATCH));
  }
}

/** A row for each hour and connection is little: all of a tenant go at once. */
async function purgeCounts(context: JobContext): Promise<void> {
  const before = new Date(context.clock.now().getTime() - COUNT_DAYS_KEPT * DAY_MS);
  for (const tenantId of await listCountedTenants(context)) {
    await runInTenant(context, tenantId, (tenant) =>
      tenant.transaction((tx) => deleteCountsBefore(tx, before)),
    );
  }
}

type PurgedBatch = {
  readonly count: number;
  /** The id of the last deleted row; undefined if there are no more. */
  readonly last: string | undefined;
};

async function purgeBatch(
  context: TenantContext,
  { webhookId, exists, after }: Purged,
): Promise<PurgedBatch> {
  const idleSince = exists ? await endOfRetention(context) : undefined;
  const place = { after, count: PURGE_BATCH };
  const { count, last } = await context.transaction((tx) =>
    upkeep.deleteDeliveries(tx, webhookId, idleSince, place),
  );
  return { count, last: count === PURGE_BATCH ? (last ?? undefined) : undefined };
}

export const deliveryPurger: Purger = {
  name: "deliveries",
  async purge(context, signal) {
    const { tenantId } = context;
    let total = 0;
    for (const webhook of await upkeep.listLoggedWebhooks(context)) {
      let after: string | undefined = "";
      while (after !== undefined && !signal.aborted) {
        const purged = await purgeBatch(context, { ...webhook, tenantId, after });
        total += purged.count;
        after = purged.last;
      }
    }
    return total;
  },
};

async function endOfRetention({ runtime, clock, tenantId }: TenantContext): Promise<Date> {
  const settings = (await tenantCacheOf(runtime).find(tenantId))?.settings;
  const days = settings?.retention?.deliveryDays ?? DELIVERY_DAYS_DEFAULT;
  return new Date(clock.now().getTime() - days * DAY_MS);
}
