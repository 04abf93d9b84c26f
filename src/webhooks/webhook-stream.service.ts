import type { TenantContext } from "#kernel/context.ts";
import type { EventStream } from "#kernel/http/event-stream.ts";
import {
  compilePatterns,
  type RawEvent,
  type Share,
  streamFeed,
  writeEnvelope,
} from "#src/events/public.ts";
import { sentOf } from "./delivery.sample.ts";
import { deliveryHeaders } from "./delivery.signature.ts";
import { findRevision } from "./delivery-fan-out.repository.ts";
import { webhookTest } from "./webhook.events.ts";
import { findWebhook } from "./webhook.repository.ts";
import { versionOf, type Webhook } from "./webhook.schema.ts";
import { getWebhook, type OpenWebhook } from "./webhook.service.ts";

export type StreamPlace = {
  readonly cursor: string | undefined;
  readonly cursorField: string;
};

/** Written down as a reading of the secret is: whoever gets signed bodies can use them. */
export async function streamWebhook(
  context: TenantContext,
  id: string,
  place: StreamPlace,
): Promise<EventStream> {
  const open = await getWebhook(context, id);
  const covers = compilePatterns(open.webhook.events);
  return await streamFeed(context, {
    ...place,
    matches: (name) => name === webhookTest.name || covers(name),
    present: ({ event }) => presentDelivery(context, open, event),
    isCurrent: createCheck(context, open.webhook),
  });
}

/**
 * Whether the webhook is as it was: once it was changed or deleted, whoever listens comes back and gets
 * what is true then. All who listen to webhooks of the tenant share one look at whether any changed.
 */
function createCheck(context: TenantContext, webhook: Webhook): (share: Share) => Promise<boolean> {
  let seen: string | undefined;
  return async (share) => {
    const revision = await share("webhook revision", () =>
      context.transaction((tx) => findRevision(tx, tx.tenantId)),
    );
    if (revision !== undefined && revision === seen) return true;
    const now = await context.transaction((tx) => findWebhook(tx, webhook.id));
    seen = revision;
    return now !== undefined && versionOf(now) === versionOf(webhook);
  };
}

function presentDelivery(
  { runtime, clock, tenantId }: TenantContext,
  { webhook, signatureSecret }: OpenWebhook,
  happened: RawEvent,
) {
  if (!isFor(webhook.id, happened)) return undefined;
  const event = sentOf(happened);
  const body = writeEnvelope(event, runtime.environment);
  const headers = deliveryHeaders({
    eventId: event.id,
    eventName: event.name,
    tenantId,
    isTest: event.isTest === true,
    timestampSeconds: Math.floor(clock.now().getTime() / 1_000),
    body,
    secrets: [signatureSecret],
  });
  return { event: "delivery", data: JSON.stringify({ url: webhook.endpoint, headers, body }) };
}

/** A test goes to its own webhook alone. */
function isFor(webhookId: string, event: RawEvent): boolean {
  if (event.name !== webhookTest.name) return true;
  return (JSON.parse(event.dataText) as { webhookId: string }).webhookId === webhookId;
}
