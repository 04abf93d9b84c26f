import Type from "typebox";
import { streamReply, writeMessage } from "#kernel/http/event-stream.ts";
import { defineRoute } from "#kernel/http/route.ts";
import { streamsTooMany } from "#kernel/http/stream-host.ts";
import { FeedCursor } from "#src/events/public.ts";
import { webhookNotFound, webhookUnreadable } from "./webhook.errors.ts";
import { WEBHOOK_EXAMPLE, WebhookParams } from "./webhook.schema.ts";
import { streamWebhook } from "./webhook-stream.service.ts";

const DELIVERY_EXAMPLE = {
  url: WEBHOOK_EXAMPLE.endpoint,
  headers: { "content-type": "application/json", "x-service-signature": "9f86d081884c…" },
  body: '{"id":"evt_0VfQm3Ks00aB3dE5fG7hJ9","event":"pass.created",…}',
};

const StreamQuery = Type.Object(
  { cursor: Type.Optional(FeedCursor) },
  { additionalProperties: false },
);

export const webhookStream = defineRoute({
  op: "webhook.stream",
  method: "GET",
  url: "/api/:tenantId/webhooks/:id/stream",
  scope: "Webhook.Write",
  summary: "Hear what a webhook delivers, as it happens",
  description:
    "For trying out a receiver that cannot be reached from outside, such as one on your own machine. Server-sent events named `delivery`: `data` holds `url` (the endpoint), `headers` (all of them, signed) and `body` (the exact text), to be sent on unchanged by POST. All events that match are here, whether the webhook is enabled or not, and its tests. Goes on after `Last-Event-ID` or `cursor`; without either it begins now. Ends after ten minutes, and when the webhook is changed: connect again. Each connection is written to the audit trail.",
  params: WebhookParams,
  query: StreamQuery,
  reply: streamReply(
    writeMessage({
      id: "czAIcfRMFo58lJ3ix1DmDCybuP9TABfFomcjTg",
      event: "delivery",
      data: JSON.stringify(DELIVERY_EXAMPLE),
    }),
  ),
  errors: [webhookNotFound, webhookUnreadable, streamsTooMany],
  handle: (context, { params, query, lastEventId }) =>
    streamWebhook(context, params.id, {
      cursor: lastEventId ?? query.cursor,
      cursorField: lastEventId === undefined ? "cursor" : "Last-Event-ID",
    }),
});
