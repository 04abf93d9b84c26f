import Type from "typebox";
import { defineRoute, type Route } from "#kernel/http/route.ts";
import { PassParams, passNotFound } from "#src/passes/public.ts";
import { TIMELINE_EXAMPLE, TimelineEntry, TimelineQuery } from "./timeline.schema.ts";
import { listTimelineOf } from "./timeline.service.ts";

export const passListTimeline = defineRoute({
  op: "pass.list-timeline",
  method: "GET",
  url: "/api/:tenantId/passes/:passId/timeline",
  scope: "Pass.Read",
  summary: "See everything that happened to a pass",
  description:
    "Its events, such as changes, scans, movements, installations and fetched updates, together with pushes to devices and their questions; the newest first, each with the request that caused it. The header `Link` names the next page. As long as events are kept: 30 days, or what `retention.eventDays` of `tenant.yml` says.",
  params: PassParams,
  query: TimelineQuery,
  reply: Type.Array(TimelineEntry),
  replyHeaders: ["Link"],
  errors: [passNotFound],
  example: { reply: TIMELINE_EXAMPLE },
  handle: (context, { params, query, url }) => listTimelineOf(context, params.passId, query, url),
});

export const timelineRoutes: Route[] = [passListTimeline];
