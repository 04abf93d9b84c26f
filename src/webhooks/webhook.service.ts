import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { explainRefusal } from "#kernel/egress/egress-policy.ts";
import { validationProblem } from "#kernel/errors.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import { randomBase62 } from "#kernel/ids.ts";
import { difference } from "#kernel/members.ts";
import { findUnmatched, patternProblem } from "#src/events/public.ts";
import { purgeDeliveries } from "./deliveries/delivery.jobs.ts";
import { summarizeDeliveries } from "./deliveries/delivery-log.repository.ts";
import { knownEventNames } from "./webhook.catalogue.ts";
import { webhookNotFound, webhookTooMany, webhookUnreadable } from "./webhook.errors.ts";
import { webhookDisabled } from "./webhook.events.ts";
import * as webhooks from "./webhook.repository.ts";
import {
  type DeliverySettings,
  type DisabledReason,
  presentForAudit,
  presentWebhook,
  versionOf,
  WEBHOOK_MEMBERS,
  type Webhook,
  type WebhookHealth,
  type WebhookPatch,
  type WebhookSent,
  type WebhookSettings,
  withoutQuery,
} from "./webhook.schema.ts";
import { makeSignatureSecret, openSecret, sealSecret } from "./webhook.secret.ts";

/**
 * The signal that webhooks of a tenant changed; its payload is the tenant's id, and every node then
 * empties its caches for that tenant.
 */
export const WEBHOOK_SIGNAL = "webhook";

export const WEBHOOKS_MAX = 1_000;

const ID_LENGTH = 5;
/** With 1,000 webhooks, one random id in a million is taken: three in a row are no coincidence. */
const ID_TRIES = 3;

const differ = difference<Webhook, typeof WEBHOOK_MEMBERS>(WEBHOOK_MEMBERS);

export type OpenWebhook = { readonly webhook: Webhook; readonly signatureSecret: string };

/** Audited before the answer is sent, because the list contains secrets. */
export async function listWebhooks(context: TenantContext, input: ListInput): Promise<Answer> {
  const page = await webhooks.listWebhooks(context, input, (webhook) =>
    presentWebhook(webhook, openOrRefuse(context, webhook)),
  );
  await context.transaction(async (tx) => tx.audit({ target: targetOf("*") }));
  return page;
}

export function getWebhook(context: TenantContext, id: string): Promise<OpenWebhook> {
  return context.transaction(async (tx) => {
    const webhook = await findOrRefuse(tx, id);
    const signatureSecret = openOrRefuse(context, webhook);
    tx.audit({ target: targetOf(id) });
    return { webhook, signatureSecret };
  });
}

export function createWebhook(
  context: TenantContext,
  sent: WebhookSent,
  makeId = () => randomBase62(ID_LENGTH),
): Promise<OpenWebhook> {
  const settings = settingsOf(sent);
  requireDeliverable(context, settings);
  return context.transaction(async (tx) => {
    await webhooks.lockWebhooks(tx);
    const count = await webhooks.countWebhooks(tx);
    if (count >= WEBHOOKS_MAX) throw webhookTooMany({ most: WEBHOOKS_MAX });
    const made = await insertUnderFreeId(context, tx, settings, makeId);
    tx.audit({ target: targetOf(made.webhook.id), after: presentForAudit(settings) });
    await announceChange(tx);
    return made;
  });
}

/** A member that was not sent gets its default. */
export function replaceWebhook(
  context: TenantContext,
  id: string,
  sent: WebhookSent,
): Promise<Webhook> {
  return changeWebhook(context, id, () => settingsOf(sent));
}

/** A member that was not sent stays as it is. */
export function patchWebhook(
  context: TenantContext,
  id: string,
  sent: WebhookPatch,
): Promise<Webhook> {
  return changeWebhook(context, id, (known) => ({
    description: sent.description === undefined ? known.description : sent.description,
    events: sent.events ?? known.events,
    endpoint: sent.endpoint ?? known.endpoint,
    enabled: sent.enabled ?? known.enabled,
  }));
}

export function deleteWebhook(context: TenantContext, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const webhook = await lockOrRefuse(context, tx, id);
    await webhooks.deleteWebhook(tx, id);
    // The deliveries of a deleted webhook are not needed any more.
    tx.enqueue(purgeDeliveries, {}, { singletonKey: "deleted" });
    tx.audit({ target: targetOf(id), before: presentForAudit(webhook) });
    await announceChange(tx);
  });
}

export function getSettings(context: TenantContext, id: string): Promise<Webhook> {
  return context.transaction((tx) => findOrRefuse(tx, id));
}

export function setSettings(
  context: TenantContext,
  id: string,
  { ordered }: DeliverySettings,
): Promise<Webhook> {
  return context.transaction(async (tx) => {
    const known = await lockOrRefuse(context, tx, id);
    if (known.ordered === ordered) return known;
    const changed = await webhooks.updateOrdered(tx, id, ordered);
    tx.audit({ target: targetOf(id), before: { ordered: known.ordered }, after: { ordered } });
    await announceChange(tx);
    return changed;
  });
}

export type RotatedWebhook = OpenWebhook & { readonly formerValidUntil: Date | undefined };

/** The present secret becomes a former one, which still signs for some hours. */
export function rotateSecret(
  context: TenantContext,
  id: string,
  overlapHours: number,
): Promise<RotatedWebhook> {
  return context.transaction(async (tx) => {
    await lockOrRefuse(context, tx, id);
    const signatureSecret = makeSignatureSecret();
    const sealed = sealSecret(context.runtime.sealer, tx.tenantId, id, signatureSecret);
    const replaced = await webhooks.replaceSecret(tx, id, sealed, overlapHours);
    const { webhook, formerValidUntil } = replaced;
    tx.audit({ target: targetOf(id), after: { secret: "rotated", formerValidUntil } });
    await announceChange(tx);
    return { webhook, signatureSecret, formerValidUntil };
  });
}

export function getHealth(context: TenantContext, id: string): Promise<WebhookHealth> {
  return context.transaction(async (tx) => {
    const webhook = await findOrRefuse(tx, id);
    const { events, enabled, failingSince, disabledAt, disabledReason } = webhook;
    const { pending, nextAttemptAt, lastDeliveredAt } = await summarizeDeliveries(tx, id);
    return {
      enabled,
      failingSince: failingSince?.toISOString() ?? null,
      disabledAt: disabledAt?.toISOString() ?? null,
      disabledReason,
      pending,
      nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
      lastDeliveredAt: lastDeliveredAt?.toISOString() ?? null,
      unmatchedPatterns: findUnmatched(events, knownEventNames(context.runtime)),
    };
  });
}

/** Part of deleting a tenant, which is audited as a whole. */
export async function deleteAllWebhooks(tx: TenantTx): Promise<void> {
  const count = await webhooks.deleteAllWebhooks(tx);
  if (count > 0) await announceChange(tx);
}

/** Disables a webhook whose endpoint accepts nothing any more. The event informs other modules. */
export function disableWebhook(
  context: TenantContext,
  known: Pick<Webhook, "id" | "version">,
  reason: DisabledReason,
): Promise<void> {
  return context.transaction(async (tx) => {
    const webhook = await webhooks.disableWebhook(tx, known, reason);
    if (webhook === undefined) return;
    const { id, description, events, endpoint, failingSince } = webhook;
    tx.emit(webhookDisabled, {
      id,
      description,
      events: [...events],
      endpoint: withoutQuery(endpoint),
      reason,
      disabledAt: tx.now.toISOString(),
      failingSince: failingSince?.toISOString() ?? null,
    });
    tx.audit({ target: targetOf(id), after: { enabled: false, reason } });
    await announceChange(tx);
  });
}

/**
 * Part of every change: makes the code that matches events and the code that sends read the
 * subscriptions again.
 */
export async function announceChange(tx: TenantTx): Promise<void> {
  await webhooks.renewRevision(tx);
  tx.signal(WEBHOOK_SIGNAL, tx.tenantId);
}

function changeWebhook(
  context: TenantContext,
  id: string,
  change: (known: Webhook) => WebhookSettings,
): Promise<Webhook> {
  return context.transaction(async (tx) => {
    const known = await lockOrRefuse(context, tx, id);
    const settings = change(known);
    requireDeliverable(context, settings);
    if (!differ(known, settings)) return known;

    const changed = await webhooks.updateWebhook(tx, id, settings);
    const [before, after] = [presentForAudit(known), presentForAudit(changed)];
    tx.audit({ target: targetOf(id), before, after });
    await announceChange(tx);
    return changed;
  });
}

async function findOrRefuse(tx: TenantTx, id: string): Promise<Webhook> {
  const webhook = await webhooks.findWebhook(tx, id);
  if (webhook === undefined) throw webhookNotFound({ id });
  return webhook;
}

async function lockOrRefuse(context: TenantContext, tx: TenantTx, id: string): Promise<Webhook> {
  const webhook = await webhooks.findWebhookForUpdate(tx, id);
  if (webhook === undefined) throw webhookNotFound({ id });
  context.requireMatch(versionOf(webhook));
  return webhook;
}

async function insertUnderFreeId(
  { runtime }: TenantContext,
  tx: TenantTx,
  settings: WebhookSettings,
  makeId: () => string,
): Promise<OpenWebhook> {
  const signatureSecret = makeSignatureSecret();
  for (let tries = 0; tries < ID_TRIES; tries += 1) {
    const id = makeId();
    const sealedSecret = sealSecret(runtime.sealer, tx.tenantId, id, signatureSecret);
    const webhook = await webhooks.insertWebhook(tx, { ...settings, id, sealedSecret });
    if (webhook !== undefined) return { webhook, signatureSecret };
  }
  throw new Error(`None of ${ID_TRIES} random ids was free for a webhook.`);
}

function openOrRefuse({ runtime, tenantId, log, op }: TenantContext, webhook: Webhook): string {
  const { id, sealedSecret } = webhook;
  const secret = openSecret(runtime.sealer, tenantId, id, sealedSecret);
  if (secret !== undefined) return secret;
  log.error(
    { tenantId, webhookId: id, op },
    "the secret of a webhook was changed and does not open",
  );
  throw webhookUnreadable({ id });
}

function settingsOf({ description, events, endpoint, enabled }: WebhookSent): WebhookSettings {
  return { description: description ?? null, events, endpoint, enabled: enabled ?? false };
}

function requireDeliverable({ runtime }: TenantContext, { events, endpoint }: WebhookSettings) {
  const errors: Record<string, readonly string[]> = {};
  for (const [place, pattern] of events.entries()) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) errors[`events[${place}]`] = [problem];
  }
  const check = runtime.egress.checkUrl(endpoint);
  if (!check.ok) errors.endpoint = [explainRefusal(check.reason)];
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
}

function targetOf(id: string): string {
  return `webhook:${id}`;
}
