import Type from "typebox";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import type { Connector } from "../kit/connector.ts";
import { extensionUnknown } from "../settings/settings.errors.ts";
import { requireConnector } from "../settings/settings.routes.ts";
import { ExtensionParams } from "../settings/settings.schema.ts";
import { extensionTellsNothing, refusedEventNotFound } from "./refusal.errors.ts";
import { listRefusals, REFUSAL_LIST } from "./refusal.repository.ts";
import {
  presentRefusal,
  REFUSAL_EXAMPLE,
  RefusedEvent,
  RefusedEventParams,
} from "./refusal.schema.ts";
import { replayRefusedEvent } from "./refusal.service.ts";

/** A connector whose vendor is told events. */
function requireFeed(name: string): Connector {
  const connector = requireConnector(name);
  if (connector.outbound === undefined) throw extensionTellsNothing(connector);
  return connector;
}

const refusedEventList = defineRoute({
  op: "refused-event.list",
  method: "GET",
  url: "/api/:tenantId/admin/extensions/:connector/refused-events",
  scope: "Extension.Read",
  summary: "List the events that a vendor refused",
  description:
    "The newest first. Each was refused several times and set aside, so that the others could follow. Kept for 30 days, as the events themselves.",
  params: ExtensionParams,
  list: REFUSAL_LIST,
  reply: Type.Array(RefusedEvent),
  errors: [extensionUnknown, extensionTellsNothing],
  example: { reply: [REFUSAL_EXAMPLE] },
  handle: (context, input) =>
    listRefusals(context, requireFeed(input.params.connector).name, input),
});

const refusedEventReplay = defineRoute({
  op: "refused-event.replay",
  method: "POST",
  url: "/api/:tenantId/admin/extensions/:connector/refused-events/:refusedEventId/replay",
  scope: "Extension.Write",
  summary: "Tell the vendor a refused event once more",
  description:
    "After the reason is mended at the vendor. If it is taken, it leaves the list; otherwise it stays there with the newest reason.",
  params: RefusedEventParams,
  status: 202,
  replyHeaders: ["Location"],
  reply: RefusedEvent,
  errors: [extensionUnknown, extensionTellsNothing, refusedEventNotFound],
  example: { reply: { ...REFUSAL_EXAMPLE, isWaiting: true } },
  async handle(context, { params }) {
    const connector = requireFeed(params.connector);
    const refusal = await replayRefusedEvent(context, connector, params.refusedEventId);
    const location = `/api/${context.tenantId}/admin/extensions/${connector.name}/refused-events`;
    return answer(presentRefusal(refusal), { status: 202, headers: { location } });
  },
});

export const refusedEventRoutes: readonly Route[] = [refusedEventList, refusedEventReplay];
