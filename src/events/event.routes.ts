import Type from "typebox";
import { streamReply, writeMessage } from "#kernel/http/event-stream.ts";
import { defineRoute, type Route } from "#kernel/http/route.ts";
import { streamsTooMany } from "#kernel/http/stream-host.ts";
import { ENVELOPE_EXAMPLE, EventEnvelope, FeedQuery, StreamQuery } from "./event.schema.ts";
import { listFeed, readPatterns } from "./feed/feed.service.ts";
import { streamFeed } from "./feed/stream.service.ts";

export const eventList = defineRoute({
  op: "event.list",
  method: "GET",
  url: "/api/:tenantId/events",
  scope: "Webhook.Read",
  summary: "Read what happened, page by page",
  description:
    "For those who cannot receive webhooks: the same bodies, the oldest first, each exactly once to whoever follows the header `Link`. It always names a next page, also when this one is the last so far: ask for that page again later and go on from there. A page may be empty although more follows, when few of many events match. With `order=desc` the newest come first, for whoever wants to look at what happened lately, back to `since` if that is sent. Events are kept for 30 days, or as long as `retention.eventDays` of `tenant.yml` says.",
  query: FeedQuery,
  reply: Type.Array(EventEnvelope),
  replyHeaders: ["Link"],
  example: { reply: [ENVELOPE_EXAMPLE] },
  handle: (context, { query, url }) => listFeed(context, query, url),
});

export const eventStream = defineRoute({
  op: "event.stream",
  method: "GET",
  url: "/api/:tenantId/events/stream",
  scope: "Webhook.Read",
  summary: "Hear what happens, as it happens",
  description:
    "Server-sent events, as browsers and many libraries read them: `id`, `event` (the name) and `data` (the same body as that of a webhook, on one line). Goes on after `Last-Event-ID` or `cursor`; without either it begins now. Messages with an `id` alone and comments keep the connection and the place. A stream ends after ten minutes, and when the credential is revoked: connect again with `Last-Event-ID`, as browsers do by themselves, and nothing is missed. At most 20 streams of a tenant are open at once.",
  query: StreamQuery,
  reply: streamReply(
    writeMessage({
      id: "czAIcfRMFo58lJ3ix1DmDCybuP9TABfFomcjTg",
      event: ENVELOPE_EXAMPLE.event,
      data: JSON.stringify(ENVELOPE_EXAMPLE),
    }),
  ),
  errors: [streamsTooMany],
  handle: (context, { query, lastEventId }) =>
    streamFeed(context, {
      cursor: lastEventId ?? query.cursor,
      cursorField: lastEventId === undefined ? "cursor" : "Last-Event-ID",
      matches: readPatterns(query.event),
      present: ({ event, envelope }) => ({ event: event.name, data: envelope }),
    }),
});

export const eventRoutes: Route[] = [eventList, eventStream];
