import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { defineJob, type JobContext } from "#kernel/jobs/define.ts";
import { compilePatterns } from "#src/events/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { DELIVERY_HINT, writeDeliveryHint } from "./delivery.signal.ts";
import { recoverDeliveries } from "./delivery-log.repository.ts";
import * as upkeep from "./delivery-upkeep.repository.ts";
import { webhookTest } from "./webhook.events.ts";
import { deleteEndedSecrets, findWebhook } from "./webhook.repository.ts";

const RECOVERY_BATCH = 500;
const HORIZON_MS_MAX = 30_000;
const HORIZON_LOOK_MS = 50;

const DELIVERY_DAYS_DEFAULT = 30;
const DAY_MS = 86_400_000;
const PURGE_BATCH = 1_000;
/** What is left after so many batches of each webhook goes with the next run. */
const PURGE_ROUNDS_MAX = 200;

/**
 * Owes a webhook again what happened in a time, as far as it matches and has not arrived. A second
 * run finds what the first one did and leaves it alone.
 */
export const recoverWebhook = defineJob({
  name: "webhook.recover",
  payload: Type.Object({
    webhookId: Type.String(),
    since: Type.String(),
    until: Type.String(),
    requestedAt: Type.String(),
  }),
  timeoutSeconds: 3_600,
  async run(context, { webhookId, since, until, requestedAt }, signal) {
    const tenant = context.forTenant(context.tenantId);
    await awaitLateEvents(tenant, signal);
    let after: upkeep.EventPlace = { at: since, sequence: "0" };
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted();
      const heads = await upkeep.listEventHeads(tenant, after, until, RECOVERY_BATCH);
      after = heads.at(-1) ?? after;
      const goesOn = await recoverBatch(tenant, webhookId, heads, requestedAt);
      isMore = goesOn && heads.length === RECOVERY_BATCH;
    }
  },
});

/**
 * A transaction that began before the webhook was enabled may commit its event only now, without a
 * delivery: whoever looked before that would miss it.
 */
async function awaitLateEvents(context: TenantContext, signal: AbortSignal): Promise<void> {
  const horizon = await upkeep.getHorizon(context);
  const end = performance.now() + HORIZON_MS_MAX;
  while (!(await upkeep.isPassed(context, horizon))) {
    if (performance.now() > end) {
      context.log.warn({ tenantId: context.tenantId }, "events are recovered beside a transaction");
      return;
    }
    await sleep(HORIZON_LOOK_MS, undefined, { signal });
  }
}

/** False when there is nobody to deliver to any more. */
function recoverBatch(
  context: TenantContext,
  webhookId: string,
  heads: readonly upkeep.EventHead[],
  requestedAt: string,
): Promise<boolean> {
  return context.transaction(async (tx) => {
    const webhook = await findWebhook(tx, webhookId);
    if (webhook?.enabled !== true) return false;
    const covers = compilePatterns(webhook.events);
    const missed = heads.filter(({ name }) => name !== webhookTest.name && covers(name));
    if (missed.length === 0) return true;
    const count = await recoverDeliveries(tx, webhookId, missed, requestedAt);
    if (count > 0) tx.hint(DELIVERY_HINT, writeDeliveryHint(tx.tenantId, [webhookId]));
    return true;
  });
}

/** In turn, a little of each webhook: one with millions does not keep the others waiting. */
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

/** The last one deleted, as long as there may be more. */
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
