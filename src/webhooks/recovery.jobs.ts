import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { newId } from "#kernel/ids.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import {
  compilePatterns,
  countEvents,
  type HistoryPosition,
  listHistory,
} from "#src/events/public.ts";
import { addWalkStep, insertWalk, lockJobs, noteFailures } from "#src/jobs/public.ts";
import { DELIVERY_HINT, writeDeliveryHint } from "./deliveries/delivery.signal.ts";
import { recoverDeliveries } from "./deliveries/delivery-log.repository.ts";
import * as upkeep from "./deliveries/delivery-upkeep.repository.ts";
import { webhookIsDisabled, webhookNotFound } from "./webhook.errors.ts";
import { webhookTest } from "./webhook.events.ts";
import { findWebhook } from "./webhook.repository.ts";
import type { Webhook } from "./webhook.schema.ts";

const RECOVERY_BATCH = 500;
const COUNTED_BATCH = 20_000;
const HORIZON_MS_MAX = 30_000;
const HORIZON_LOOK_MS = 50;

type Range = {
  readonly webhookId: string;
  readonly since: string;
  readonly until: string;
  /** A time of the database's clock: deliveries that fail after it are not restarted. */
  readonly requestedAt: string;
};

/**
 * The progress of a recovery, stored in its job: first all matching events are counted, then
 * delivered.
 */
type Walk = Range & {
  readonly counted?: HistoryPosition | "all";
  readonly after?: HistoryPosition;
};

/** Starts a recovery as a job, because there may be many events. */
export async function startRecovery(tx: TenantTx, range: Range): Promise<string> {
  const id = newId("job", tx.now.getTime());
  const request = { subject: range.webhookId, selection: "since", changes: [], options: {} };
  await insertWalk(tx, { id, kind: "webhook.recover", request, change: range });
  tx.enqueue(recoverWebhook, { jobId: id });
  return id;
}

/**
 * Delivers again the events of a time range that match the webhook and have not arrived. Each step
 * is one transaction, together with its count: a second run, even at the same time, continues after
 * it.
 */
export const recoverWebhook = defineJob({
  name: "webhook.recover",
  payload: Type.Object({ jobId: Type.String() }),
  timeoutSeconds: 3_600,
  async run(context, { jobId }, signal) {
    const tenant = context.forTenant(context.tenantId);
    await awaitLateEvents(tenant, signal);
    for (let goesOn = true; goesOn; ) {
      signal.throwIfAborted();
      goesOn = await tenant.transaction((tx) => goOn(tx, jobId));
    }
  },
});

/**
 * A transaction that began before the webhook was enabled may commit its event only now, without a
 * delivery: a search before that commit would miss the event.
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

/** Does one step; returns false after the last one. */
async function goOn(tx: TenantTx, jobId: string): Promise<boolean> {
  const [job] = await lockJobs(tx, [jobId]);
  // Another run has finished the job, or it was cancelled.
  if (job?.isOpen !== true) return false;
  const walk = job.change as Walk;
  const webhook = await findWebhook(tx, walk.webhookId);
  if (webhook?.enabled !== true) return await giveUp(tx, jobId, walk, webhook);
  return walk.counted === "all"
    ? await owe(tx, jobId, walk, webhook)
    : await count(tx, jobId, walk, webhook);
}

/** Ends the job, because its webhook was deleted or disabled. */
async function giveUp(
  tx: TenantTx,
  jobId: string,
  walk: Walk,
  webhook: Webhook | undefined,
): Promise<false> {
  const { webhookId } = walk;
  const explain = webhook === undefined ? webhookNotFound : webhookIsDisabled;
  const { code, message } = explain({ id: webhookId });
  await noteFailures(tx, [{ jobId, subject: webhookId, code, message }]);
  await addWalkStep(tx, { ...nothing(jobId), state: "failed", change: walk });
  return false;
}

async function count(tx: TenantTx, jobId: string, walk: Walk, webhook: Webhook): Promise<true> {
  const from = walk.counted === "all" ? undefined : walk.counted;
  const { names, last } = await countEvents(tx, from ?? startOf(walk), walk.until, COUNTED_BATCH);
  const isOwed = ownerOf(webhook);
  const matched = names
    .filter(({ name }) => isOwed(name))
    .reduce((sum, { count: some }) => sum + some, 0);
  const change: Walk = { ...walk, counted: last ?? "all" };
  await addWalkStep(tx, { ...nothing(jobId), matched, change });
  return true;
}

async function owe(tx: TenantTx, jobId: string, walk: Walk, webhook: Webhook): Promise<boolean> {
  const { webhookId, until, requestedAt } = walk;
  const after = walk.after ?? startOf(walk);
  const heads = await listHistory(tx, after, until, RECOVERY_BATCH);
  const isOwed = ownerOf(webhook);
  const missed = heads.filter(({ name }) => isOwed(name));
  const updated =
    missed.length === 0 ? 0 : await recoverDeliveries(tx, webhookId, missed, requestedAt);
  if (updated > 0) tx.hint(DELIVERY_HINT, writeDeliveryHint(tx.tenantId, [webhookId]));
  const isOver = heads.length < RECOVERY_BATCH;
  const last = heads.at(-1);
  await addWalkStep(tx, {
    ...nothing(jobId),
    updated,
    unchanged: missed.length - updated,
    state: isOver ? "completed" : "running",
    change:
      last === undefined ? walk : { ...walk, after: { at: last.at, sequence: last.sequence } },
  });
  return !isOver;
}

function nothing(id: string) {
  return { id, matched: 0, updated: 0, unchanged: 0, state: "running" } as const;
}

function startOf({ since }: Range): HistoryPosition {
  return { at: since, sequence: "0" };
}

function ownerOf({ events }: Webhook): (name: string) => boolean {
  const covers = compilePatterns(events);
  return (name) => name !== webhookTest.name && covers(name);
}
