import { randomUUID } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import type { Answer } from "#kernel/http/route.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { startRecovery } from "../recovery.jobs.ts";
import { type EventSample, findSample } from "../webhook.catalogue.ts";
import {
  deliveryEventGone,
  deliveryNotFound,
  webhookIsDisabled,
  webhookNotFound,
} from "../webhook.errors.ts";
import { webhookTest } from "../webhook.events.ts";
import { findWebhook } from "../webhook.repository.ts";
import type { Webhook } from "../webhook.schema.ts";
import { DeliveryClient } from "./delivery.client.ts";
import { recordOutcomes } from "./delivery.repository.ts";
import type {
  ClaimedDelivery,
  DeliveryAttempt,
  DetailedDelivery,
  Recovery,
  RecoveryRequest,
} from "./delivery.schema.ts";
import { DELIVERY_HINT, writeDeliveryHint } from "./delivery.signal.ts";
import * as log from "./delivery-log.repository.ts";

const EVENT_DAYS_DEFAULT = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function listDeliveries(
  context: TenantContext,
  webhookId: string,
  input: ListInput,
): Promise<Answer> {
  await context.transaction((tx) => findOrRefuse(tx, webhookId));
  return await log.listDeliveries(context, webhookId, input);
}

export function getDelivery(
  context: TenantContext,
  webhookId: string,
  id: string,
): Promise<DetailedDelivery> {
  return context.transaction(async (tx) => {
    await findOrRefuse(tx, webhookId);
    return await findDeliveryOrRefuse(tx, webhookId, id);
  });
}

/** Starts the attempts of a delivery again. If an attempt is under way, nothing is changed. */
export function redeliverDelivery(
  context: TenantContext,
  webhookId: string,
  id: string,
): Promise<DetailedDelivery> {
  return context.transaction(async (tx) => {
    await requireEnabled(tx, webhookId);
    // The answer shows what was sent and answered: if it is stored, it goes with whom that is about.
    const subject = await log.holdSubject(tx, id);
    if (subject !== undefined) tx.concerns(subject);
    const known = await findDeliveryOrRefuse(tx, webhookId, id);
    if (known.happened === undefined) throw deliveryEventGone({ id });
    await log.restartDelivery(tx, webhookId, id);
    tx.hint(DELIVERY_HINT, writeDeliveryHint(tx.tenantId, [webhookId]));
    tx.audit({ target: `delivery:${webhookId}/${id}`, before: { state: known.state } });
    return await findDeliveryOrRefuse(tx, webhookId, id);
  });
}

/** A background job finds and restarts the deliveries, because there may be many. */
export async function recoverDeliveries(
  context: TenantContext,
  webhookId: string,
  sent: RecoveryRequest,
): Promise<Recovery> {
  const days = await eventDaysOf(context);
  return await context.transaction(async (tx) => {
    await requireEnabled(tx, webhookId);
    const { since, until } = readRange(sent, tx.now, days);
    const requestedAt = await log.getTime(tx);
    const jobId = await startRecovery(tx, { webhookId, since, until, requestedAt });
    tx.audit({ target: `webhook:${webhookId}`, after: { since, until, jobId } });
    return { jobId, state: "started", since, until };
  });
}

/**
 * Sends a test at once, while the caller waits and no transaction is open. The result does not
 * count for the state of the webhook, and the test is never retried.
 */
export async function testWebhook(
  context: TenantContext,
  webhookId: string,
  eventName: string | undefined,
): Promise<DetailedDelivery> {
  const sample = findSampleOrRefuse(context.runtime, eventName);
  const claim = randomUUID();
  const eventId = await context.transaction((tx) => prepareTest(tx, webhookId, sample, claim));
  const test = await log.findTest(context, { webhookId, eventId, claim });
  if (test === undefined) throw webhookNotFound({ id: webhookId });
  const { attempt } = await clientOf(context.runtime).attempt(test, "test");
  await context.transaction((tx) => recordTest(tx, test, attempt));
  return await getDelivery(context, webhookId, eventId);
}

async function prepareTest(
  tx: TenantTx,
  webhookId: string,
  sample: EventSample | undefined,
  claim: string,
): Promise<string> {
  await findOrRefuse(tx, webhookId);
  const message = "This is a test. Nothing has happened.";
  const eventId = tx.emit(webhookTest, { webhookId, message, sample: sample ?? null });
  const sampleOf = sample?.event ?? null;
  await log.insertTest(tx, { webhookId, eventId, eventName: webhookTest.name, sampleOf, claim });
  tx.audit({ target: `webhook:${webhookId}`, after: { delivery: eventId, event: sampleOf } });
  return eventId;
}

function recordTest(tx: TenantTx, test: ClaimedDelivery, attempt: DeliveryAttempt): Promise<void> {
  const { tenantId, webhookId, eventId, claim } = test;
  const { status } = attempt;
  const state = status !== null && status >= 200 && status < 300 ? "delivered" : "failed";
  return recordOutcomes(tx, [
    { tenantId, webhookId, eventId, claim, state, retryAt: undefined, attempt },
  ]);
}

const clientOf = perRuntime((runtime) => new DeliveryClient(runtime));

/** Undefined if no event was named: the plain test event is sent. */
function findSampleOrRefuse(runtime: Runtime, name: string | undefined): EventSample | undefined {
  if (name === undefined) return undefined;
  const sample = findSample(runtime, name);
  if (sample === undefined) throw validationProblem({ event: ["must be the name of an event"] });
  return sample.event === webhookTest.name ? undefined : sample;
}

type Range = { readonly since: string; readonly until: string };

function readRange(sent: RecoveryRequest, now: Date, days: number): Range {
  const since = readTime("since", sent.since);
  const until = sent.until === undefined ? now.getTime() : readTime("until", sent.until);
  if (since > now.getTime()) throw validationProblem({ since: ["must not be in the future"] });
  // Events are deleted within an hour after their retention time.
  if (since < now.getTime() - days * DAY_MS - HOUR_MS) {
    throw validationProblem({ since: [`must not be more than ${days} days ago: events are gone`] });
  }
  if (until < since) throw validationProblem({ until: ["must not be before since"] });
  const end = Math.min(until, now.getTime());
  return { since: new Date(since).toISOString(), until: new Date(end).toISOString() };
}

function readTime(field: string, text: string): number {
  const milliseconds = parseTimestamp(text.toUpperCase());
  if (milliseconds !== undefined) return milliseconds;
  throw validationProblem({ [field]: ["must be a date and time with its offset from UTC"] });
}

async function eventDaysOf({ runtime, tenantId }: TenantContext): Promise<number> {
  const settings = (await tenantCacheOf(runtime).find(tenantId))?.settings;
  return settings?.retention?.eventDays ?? EVENT_DAYS_DEFAULT;
}

async function findOrRefuse(tx: TenantTx, id: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, id);
  if (webhook === undefined) throw webhookNotFound({ id });
  return webhook;
}

async function requireEnabled(tx: TenantTx, id: string): Promise<void> {
  const { enabled } = await findOrRefuse(tx, id);
  if (!enabled) throw webhookIsDisabled({ id });
}

async function findDeliveryOrRefuse(
  tx: TenantTx,
  webhookId: string,
  id: string,
): Promise<DetailedDelivery> {
  const delivery = await log.findDelivery(tx, webhookId, id);
  if (delivery === undefined) throw deliveryNotFound({ id });
  return delivery;
}
