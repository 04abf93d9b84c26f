import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { inBatches, type Purge, purgeInTurns, runInTurns } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
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

const oldCounts: Purge = {
  rowsMax: PURGE_BATCH,
  async run(tenant) {
    const before = new Date(tenant.clock.now().getTime() - COUNT_DAYS_KEPT * DAY_MS);
    return await tenant.transaction((tx) => deleteCountsBefore(tx, before, PURGE_BATCH));
  },
};

/**
 * Deletes a little of each webhook in turn, so that a webhook with millions of rows does not delay
 * the others.
 */
export const purgeDeliveries = defineJob({
  name: "delivery.purge",
  payload: Type.Object({}),
  cron: "47 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await inBatches(PURGE_BATCH, signal, () =>
      context.transaction((tx) => deleteEndedSecrets(tx, PURGE_BATCH)),
    );
    await purgeInTurns(context, await listCountedTenants(context), oldCounts, signal);
    const webhooks = await upkeep.listLoggedWebhooks(context);
    const turns: Purged[] = webhooks.map((webhook) => ({ ...webhook, after: "" }));
    await runInTurns(context, turns, signal, async (tenant, purged) => {
      const { last } = await purgeBatch(tenant, purged);
      return last === undefined ? undefined : { ...purged, after: last };
    });
  },
});

type Purged = upkeep.LoggedWebhook & { readonly after: string };

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
