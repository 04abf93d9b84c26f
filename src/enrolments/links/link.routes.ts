import Type from "typebox";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { linkNotFound, linkTaken, linkTooMany } from "./link.errors.ts";
import { LINK_LIST, listLinks } from "./link.repository.ts";
import {
  LINK_EXAMPLE,
  type Link,
  LinkCreate,
  LinkParams,
  LinkUpdate,
  LinkView,
  versionOf,
} from "./link.schema.ts";
import {
  createLink,
  deleteLink,
  drawLink,
  getLink,
  linkPresenter,
  updateLink,
} from "./link.service.ts";

const { code, passType, storeId, source, enabled } = LINK_EXAMPLE;
const SVG = "image/svg+xml";

const linkList = defineRoute({
  op: "enrolment-link.list",
  method: "GET",
  url: "/api/:tenantId/enrolment-links",
  scope: "Enrolment.Read",
  summary: "List the links to enrolment forms",
  description: "In the order of their codes, each with how often it was opened and used.",
  list: LINK_LIST,
  reply: Type.Array(LinkView),
  example: { reply: [LINK_EXAMPLE] },
  async handle(context, input) {
    return await listLinks(context, input, await linkPresenter(context));
  },
});

const linkCreate = defineRoute({
  op: "enrolment-link.create",
  method: "POST",
  url: "/api/:tenantId/enrolment-links",
  scope: "Enrolment.Write",
  summary: "Make a link to an enrolment form",
  description:
    "For a poster, a till or a campaign. Passes that are got by it say so in `metadata.enrolment`.",
  body: LinkCreate,
  reply: LinkView,
  status: 201,
  replyHeaders: ["ETag", "Location"],
  errors: [linkTaken, linkTooMany],
  example: {
    body: { code, passType, storeId, source },
    reply: { ...LINK_EXAMPLE, visits: 0, enrolments: 0 },
  },
  async handle(context, { body }) {
    const link = await createLink(context, body);
    const present = await linkPresenter(context);
    return answer(present(link), {
      status: 201,
      headers: { location: `/api/${context.tenantId}/enrolment-links/${link.id}` },
      version: versionOf(link),
    });
  },
});

const linkGet = defineRoute({
  op: "enrolment-link.get",
  method: "GET",
  url: "/api/:tenantId/enrolment-links/:code",
  scope: "Enrolment.Read",
  summary: "Read one link to an enrolment form",
  description:
    "The ETag is for `If-Match`: `visits` and `enrolments` do not move it. So a read is never 304.",
  answersNotModified: false,
  params: LinkParams,
  reply: LinkView,
  errors: [linkNotFound],
  example: { reply: LINK_EXAMPLE },
  async handle(context, { params }) {
    const link = await getLink(context, params.code);
    const present = await linkPresenter(context);
    return answer(present(link), { version: versionOf(link) });
  },
});

const linkUpdate = defineRoute({
  op: "enrolment-link.update",
  method: "PUT",
  url: "/api/:tenantId/enrolment-links/:code",
  scope: "Enrolment.Write",
  summary: "Replace a link to an enrolment form",
  description: "What is printed stays right: the code and the counts stay.",
  params: LinkParams,
  body: LinkUpdate,
  reply: LinkView,
  errors: [linkNotFound],
  example: { body: { passType, storeId, source, enabled }, reply: LINK_EXAMPLE },
  async handle(context, { params, body }) {
    const link: Link = await updateLink(context, params.code, body);
    const present = await linkPresenter(context);
    return answer(present(link), { version: versionOf(link) });
  },
});

const linkDelete = defineRoute({
  op: "enrolment-link.delete",
  method: "DELETE",
  url: "/api/:tenantId/enrolment-links/:code",
  scope: "Enrolment.Write",
  summary: "Delete a link to an enrolment form",
  description: "Its address leads nowhere from then on. Passes keep its code.",
  params: LinkParams,
  errors: [linkNotFound],
  handle: (context, { params }) => deleteLink(context, params.code),
});

const linkDraw = defineRoute({
  op: "enrolment-link.draw",
  method: "GET",
  url: "/api/:tenantId/enrolment-links/:code/qr",
  scope: "Enrolment.Read",
  summary: "Get a link as a QR code to print",
  description: "An SVG picture, sharp in every size, with the light border that readers need.",
  params: LinkParams,
  rawReply: SVG,
  status: 200,
  errors: [linkNotFound],
  async handle(context, { params }) {
    const picture = await drawLink(context, params.code);
    return answer(Buffer.from(picture), { headers: { "content-type": SVG } });
  },
});

export const linkRoutes: readonly Route[] = [
  linkList,
  linkCreate,
  linkGet,
  linkUpdate,
  linkDelete,
  linkDraw,
];
