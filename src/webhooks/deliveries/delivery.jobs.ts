import Type from "typebox";
import { defineJob, type JobContext } from "#kernel/jobs/define.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { deleteEndedSecrets } from "../webhook.repository.ts";
import * as upkeep from "./delivery-upkeep.repository.ts";

const DELIVERY_DAYS_DEFAULT = 30;
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
    let left = (await upkeep.listLoggedWebhooks(context)).map((one) => ({ ...one, after: "" }));
    for (let round = 0; round < PURGE_ROUNDS_MAX && left.length > 0; round += 1) {
      const unfinished: Purged[] = [];
      for (const purged of left) {
        if (signal.aborted) return;
        const last = await purgeBatch(context, purged);
        if (last !== undefined) unfinished.push({ ...purged, after: last });
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

/** Returns the id of the last deleted row, or undefined if there are no more. */
async function purgeBatch(
  context: JobContext,
  { tenantId, webhookId, exists, after }: Purged,
): Promise<string | undefined> {
  const idleSince = exists ? await endOfRetention(context, tenantId) : undefined;
  const place = { after, count: PURGE_BATCH };
  const { count, last } = await context
    .forTenant(tenantId)
    .transaction((tx) => upkeep.deleteDeliveries(tx, webhookId, idleSince, place));
  return count === PURGE_BATCH ? (last ?? undefined) : undefined;
}

async function endOfRetention({ runtime, clock }: JobContext, tenantId: string): Promise<Date> {
  const settings = (await tenantCacheOf(runtime).find(tenantId))?.settings;
  const days = settings?.retention?.deliveryDays ?? DELIVERY_DAYS_DEFAULT;
  return new Date(clock.now().getTime() - days * DAY_MS);
}
