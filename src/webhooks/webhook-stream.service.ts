import type { TenantContext } from "#kernel/context.ts";
import type { EventStream } from "#kernel/http/event-stream.ts";
import { compilePatterns, type RawEvent, streamFeed, writeEnvelope } from "#src/events/public.ts";
import { deliveryHeaders } from "./delivery.signature.ts";
import { webhookTest } from "./webhook.events.ts";
import { findWebhook } from "./webhook.repository.ts";
import { versionOf } from "./webhook.schema.ts";
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
  const { webhook } = open;
  const covers = compilePatterns(webhook.events);
  return await streamFeed(context, {
    ...place,
    matches: (name) => name === webhookTest.name || covers(name),
    present: (event) => presentDelivery(context, open, event),
    // Changed or deleted: whoever listens comes back, and gets what is true then.
    isCurrent: async () => {
      const now = await context.transaction((tx) => findWebhook(tx, id));
      return now !== undefined && versionOf(now) === versionOf(webhook);
    },
  });
}

function presentDelivery(
  { runtime, clock, tenantId }: TenantContext,
  { webhook, signatureSecret }: OpenWebhook,
  happened: RawEvent,
) {
  const event = happened.name === webhookTest.name ? sampleFor(webhook.id, happened) : happened;
  if (event === undefined) return undefined;
  const body = writeEnvelope(event, runtime.environment);
  const headers = deliveryHeaders({
    eventId: event.id,
    eventName: event.name,
    tenantId,
    timestampSeconds: Math.floor(clock.now().getTime() / 1_000),
    body,
    secrets: [signatureSecret],
  });
  return { event: "delivery", data: JSON.stringify({ url: webhook.endpoint, headers, body }) };
}

/** A test goes to its own webhook alone, as the event that it is an example of. */
function sampleFor(webhookId: string, event: RawEvent): RawEvent | undefined {
  const test = JSON.parse(event.dataText) as {
    webhookId: string;
    sample: { event: string; data: unknown } | null;
  };
  if (test.webhookId !== webhookId) return undefined;
  if (test.sample === null) return event;
  return { ...event, name: test.sample.event, dataText: JSON.stringify(test.sample.data) };
}
