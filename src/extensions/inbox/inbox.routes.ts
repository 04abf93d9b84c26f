import Type from "typebox";
import { ANY_TYPE, answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { extensionTakesNoDeliveries, extensionUnknown } from "../settings/settings.errors.ts";
import { requireInbox } from "../settings/settings.routes.ts";
import { ExtensionParams } from "../settings/settings.schema.ts";
import {
  inboxDeliveryErased,
  inboxDeliveryNotFound,
  inboxFull,
  inboxNotFound,
  inboxSignatureInvalid,
  inboxUnreadable,
} from "./inbox.errors.ts";
import { INBOX_LIST, listDeliveries } from "./inbox.repository.ts";
import {
  DELIVERY_EXAMPLE,
  DETAIL_EXAMPLE,
  InboxDelivery,
  InboxDeliveryDetail,
  InboxParams,
  presentDetail,
  ReceiveParams,
} from "./inbox.schema.ts";
import { getDelivery, replayDelivery } from "./inbox.service.ts";
import { receiveDelivery } from "./inbox-receive.service.ts";

/** Most vendors send less: see `bodyBytesMax` of their connectors. */
const BODY_BYTES_MAX = 1024 * 1024;
const NO_BYTES = Buffer.alloc(0);

const inboxReceive = defineRoute({
  op: "inbox.receive",
  method: "POST",
  url: "/api/:tenantId/extensions/:connector/webhooks/:inboxToken",
  scope: "public",
  summary: "Take a delivery of a vendor",
  description:
    "For vendors alone: `webhookUrl` of the settings is this address. A delivery is verified as the vendor signs it and stored; the work is done later. The statuses are those that the vendor needs, and 404 tells nothing about what is missing.",
  params: ReceiveParams,
  body: Type.Unknown({ description: "As the vendor sends it, of any media type." }),
  rawBody: { type: ANY_TYPE, sizeBytesMax: BODY_BYTES_MAX },
  status: 200,
  otherStatuses: [201, 204],
  errors: [inboxNotFound, inboxSignatureInvalid, inboxUnreadable, inboxFull],
  example: { body: { id: 1001 } },
  async handle(context, { params: { connector, inboxToken: token }, headers, raw }) {
    const request = { connector, token, headers, rawBody: raw ?? NO_BYTES };
    return answer(undefined, { status: await receiveDelivery(context, request) });
  },
});

const inboxList = defineRoute({
  op: "inbox.list",
  method: "GET",
  url: "/api/:tenantId/admin/extensions/:connector/inbox",
  scope: "Extension.Read",
  summary: "List what a vendor has sent",
  description:
    "The newest first. Kept for two weeks after it was done, or as long as `retention.inboxDays` of `tenant.yml` says.",
  params: ExtensionParams,
  list: INBOX_LIST,
  reply: Type.Array(InboxDelivery),
  errors: [extensionUnknown, extensionTakesNoDeliveries],
  example: { reply: [DELIVERY_EXAMPLE] },
  handle: (context, input) =>
    listDeliveries(context, requireInbox(input.params.connector).name, input),
});

const inboxGet = defineRoute({
  op: "inbox.get",
  method: "GET",
  url: "/api/:tenantId/admin/extensions/:connector/inbox/:inboxDeliveryId",
  scope: "Extension.Read",
  summary: "Read a delivery with its body and what was done about it",
  params: InboxParams,
  reply: InboxDeliveryDetail,
  errors: [extensionUnknown, extensionTakesNoDeliveries, inboxDeliveryNotFound],
  example: { reply: DETAIL_EXAMPLE },
  async handle(context, { params }) {
    const connector = requireInbox(params.connector);
    const delivery = await getDelivery(context, connector, params.inboxDeliveryId);
    const { id, status, attempts, body } = delivery;
    const content = body === null ? "erased" : "kept";
    return answer(presentDetail(delivery), { version: `${id}.${status}.${attempts}.${content}` });
  },
});

const inboxReplay = defineRoute({
  op: "inbox.replay",
  method: "POST",
  url: "/api/:tenantId/admin/extensions/:connector/inbox/:inboxDeliveryId/replay",
  scope: "Extension.Write",
  summary: "Work on a delivery once more",
  description:
    "For one that failed, after its reason is mended. Whatever it has done already is not done twice.",
  params: InboxParams,
  status: 202,
  replyHeaders: ["Location"],
  reply: InboxDeliveryDetail,
  errors: [
    extensionUnknown,
    extensionTakesNoDeliveries,
    inboxDeliveryNotFound,
    inboxDeliveryErased,
  ],
  example: { reply: DETAIL_EXAMPLE },
  async handle(context, { params }) {
    const connector = requireInbox(params.connector);
    const delivery = await replayDelivery(context, connector, params.inboxDeliveryId);
    const location = `/api/${context.tenantId}/admin/extensions/${connector.name}/inbox/${delivery.id}`;
    return answer(presentDetail(delivery), { status: 202, headers: { location } });
  },
});

export const inboxRoutes: readonly Route[] = [inboxReceive, inboxList, inboxGet, inboxReplay];
