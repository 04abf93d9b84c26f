import type { TenantContext } from "#kernel/context.ts";
import type { EventStream } from "#kernel/http/event-stream.ts";
import {
  compilePatterns,
  type RawEvent,
  type Share,
  streamFeed,
  writeEnvelope,
} from "#src/events/public.ts";
import { sentOf } from "./deliveries/delivery.sample.ts";
import {
  deliveryHeaders,
  makeSigningKey,
  type SigningKey,
} from "./deliveries/delivery.signature.ts";
import { findRevision } from "./deliveries/delivery-fan-out.repository.ts";
import { webhookTest } from "./webhook.events.ts";
import { findWebhook } from "./webhook.repository.ts";
import { versionOf, type Webhook } from "./webhook.schema.ts";
import { getWebhook } from "./webhook.service.ts";

export type StreamPlace = {
  readonly cursor: string | undefined;
  readonly cursorField: string;
};

/** Audited like reading the secret, because signed bodies can be misused. */
export async function streamWebhook(
  context: TenantContext,
  id: string,
  place: StreamPlace,
): Promise<EventStream> {
  const open = await getWebhook(context, id);
  const covers = compilePatterns(open.webhook.events);
  const key = makeSigningKey(open.signatureSecret);
  return await streamFeed(context, {
    ...place,
    matches: (name) => name === webhookTest.name || covers(name),
    present: ({ event }) => presentDelivery(context, open.webhook, key, event),
    isCurrent: createCheck(context, open.webhook),
  });
}

/**
 * Makes the check whether the webhook is unchanged. After a change or deletion the stream ends, and
 * the client reconnects and gets the new state. All streams of a tenant share one query for the
 * revision.
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
  webhook: Webhook,
  key: SigningKey,
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
    keys: [key],
  });
  return { event: "delivery", data: JSON.stringify({ url: webhook.endpoint, headers, body }) };
}

/** A test event is only for the webhook under test. */
function isFor(webhookId: string, event: RawEvent): boolean {
  if (event.name !== webhookTest.name) return true;
  return (JSON.parse(event.dataText) as { webhookId: string }).webhookId === webhookId;
}
