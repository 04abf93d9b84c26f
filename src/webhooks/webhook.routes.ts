import Type from "typebox";
import { problemKinds } from "#kernel/http/problem.ts";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { webhookNotFound, webhookTooMany, webhookUnreadable } from "./webhook.errors.ts";
import { WEBHOOK_LIST } from "./webhook.repository.ts";
import {
  DeliverySettings,
  OVERLAP_HOURS_DEFAULT,
  presentRotated,
  presentWebhook,
  RotatedSecret,
  SecretRotation,
  versionOf,
  WEBHOOK_EXAMPLE,
  WebHookWithId,
  type Webhook,
  WebhookHealth,
  WebhookParams,
  WebhookPatch,
  WebhookSent,
} from "./webhook.schema.ts";
import {
  createWebhook,
  deleteWebhook,
  getHealth,
  getSettings,
  getWebhook,
  listWebhooks,
  patchWebhook,
  replaceWebhook,
  rotateSecret,
  setSettings,
} from "./webhook.service.ts";
import { webhookStream } from "./webhook-stream.routes.ts";

const { description, events, endpoint, enabled } = WEBHOOK_EXAMPLE;
const BODY_EXAMPLE = { description, events, endpoint, enabled };

export const webhookList = defineRoute({
  op: "webhook.list",
  method: "GET",
  url: "/api/:tenantId/webhooks",
  scope: "Webhook.Read",
  summary: "List the webhooks",
  description: "With their secrets: each reading is written to the audit trail. The oldest first.",
  list: WEBHOOK_LIST,
  reply: Type.Array(WebHookWithId),
  noStore: true,
  errors: [webhookUnreadable],
  example: { reply: [WEBHOOK_EXAMPLE] },
  handle: listWebhooks,
});

export const webhookCreate = defineRoute({
  op: "webhook.create",
  method: "POST",
  url: "/api/:tenantId/webhooks",
  scope: "Webhook.Write",
  summary: "Create a webhook",
  description:
    "Answers 200 with the webhook; 201 without a body is listed for clients that expect it. `id` and `signatureSecret` are given by the service; those sent are ignored.",
  body: WebhookSent,
  reply: WebHookWithId,
  replyHeaders: ["Location", "ETag"],
  alsoListed: { 201: "Webhook created" },
  noStore: true,
  errors: [webhookTooMany],
  example: { body: BODY_EXAMPLE, reply: WEBHOOK_EXAMPLE },
  async handle(context, { body }) {
    const { webhook, signatureSecret } = await createWebhook(context, body);
    const location = `/api/${context.tenantId}/webhooks/${webhook.id}`;
    return answer(presentWebhook(webhook, signatureSecret), {
      headers: { location },
      version: versionOf(webhook),
    });
  },
});

export const webhookGet = defineRoute({
  op: "webhook.get",
  method: "GET",
  url: "/api/:tenantId/webhooks/:id",
  scope: "Webhook.Read",
  summary: "Read one webhook",
  description: "With its secret: each reading is written to the audit trail.",
  params: WebhookParams,
  reply: WebHookWithId,
  noStore: true,
  errors: [webhookNotFound, webhookUnreadable],
  example: { reply: WEBHOOK_EXAMPLE },
  async handle(context, { params }) {
    const { webhook, signatureSecret } = await getWebhook(context, params.id);
    return answer(presentWebhook(webhook, signatureSecret), { version: versionOf(webhook) });
  },
});

export const webhookReplace = defineRoute({
  op: "webhook.replace",
  method: "PUT",
  url: "/api/:tenantId/webhooks/:id",
  scope: "Webhook.Write",
  summary: "Replace the settings of a webhook",
  description:
    "Members left out get their defaults. `id` and `signatureSecret` stay as they are; those sent are ignored.",
  params: WebhookParams,
  body: WebhookSent,
  status: 200,
  replyHeaders: ["ETag"],
  errors: [webhookNotFound],
  example: { body: BODY_EXAMPLE },
  async handle(context, { params, body }) {
    const webhook = await replaceWebhook(context, params.id, body);
    return answer(undefined, { version: versionOf(webhook) });
  },
});

export const webhookUpdate = defineRoute({
  op: "webhook.update",
  method: "PATCH",
  url: "/api/:tenantId/webhooks/:id",
  scope: "Webhook.Write",
  summary: "Change some settings of a webhook",
  description:
    "Members left out stay as they are; those of lists are not merged. `id` and `signatureSecret` are ignored.",
  params: WebhookParams,
  body: WebhookPatch,
  status: 200,
  replyHeaders: ["ETag"],
  errors: [webhookNotFound],
  example: { body: { enabled: false } },
  async handle(context, { params, body }) {
    const webhook = await patchWebhook(context, params.id, body);
    return answer(undefined, { version: versionOf(webhook) });
  },
});

export const webhookDelete = defineRoute({
  op: "webhook.delete",
  method: "DELETE",
  url: "/api/:tenantId/webhooks/:id",
  scope: "Webhook.Write",
  summary: "Delete a webhook",
  description: "At once and for good.",
  params: WebhookParams,
  status: 200,
  errors: [webhookNotFound],
  handle: (context, { params }) => deleteWebhook(context, params.id),
});

export const webhookRotateSecret = defineRoute({
  op: "webhook.rotate-secret",
  method: "POST",
  url: "/api/:tenantId/webhooks/:id/secret/rotate",
  scope: "Webhook.Write",
  summary: "Give a webhook a new secret",
  description:
    "From now on `x-service-signature` is made with the new one. `webhook-signature` holds a signature for each secret while the former one is valid, the new one first. At most ten former secrets sign at once.",
  params: WebhookParams,
  body: SecretRotation,
  reply: RotatedSecret,
  noStore: true,
  errors: [webhookNotFound, problemKinds.preconditionFailed],
  example: {
    body: { overlapHours: 24 },
    reply: {
      signatureSecret: WEBHOOK_EXAMPLE.signatureSecret,
      formerValidUntil: "2026-02-01T09:30:00.000Z",
    },
  },
  async handle(context, { params, body }) {
    const overlapHours = body.overlapHours ?? OVERLAP_HOURS_DEFAULT;
    const { webhook, ...rotated } = await rotateSecret(context, params.id, overlapHours);
    return answer(presentRotated(rotated), { version: versionOf(webhook) });
  },
});

export const webhookGetSettings = defineRoute({
  op: "webhook.get-settings",
  method: "GET",
  url: "/api/:tenantId/webhooks/:id/settings",
  scope: "Webhook.Read",
  summary: "Read how a webhook is delivered to",
  params: WebhookParams,
  reply: DeliverySettings,
  replyHeaders: ["ETag"],
  errors: [webhookNotFound],
  example: { reply: { ordered: false } },
  async handle(context, { params }) {
    return presentSettings(await getSettings(context, params.id));
  },
});

export const webhookSetSettings = defineRoute({
  op: "webhook.set-settings",
  method: "PUT",
  url: "/api/:tenantId/webhooks/:id/settings",
  scope: "Webhook.Write",
  summary: "Say how a webhook is delivered to",
  description:
    "With `ordered` one event is sent after the other: one that fails holds up all behind it.",
  params: WebhookParams,
  body: DeliverySettings,
  reply: DeliverySettings,
  replyHeaders: ["ETag"],
  errors: [webhookNotFound, problemKinds.preconditionFailed],
  example: { body: { ordered: true }, reply: { ordered: true } },
  async handle(context, { params, body }) {
    return presentSettings(await setSettings(context, params.id, body));
  },
});

function presentSettings(webhook: Webhook) {
  return answer({ ordered: webhook.ordered }, { version: versionOf(webhook) });
}

export const webhookGetHealth = defineRoute({
  op: "webhook.get-health",
  method: "GET",
  url: "/api/:tenantId/webhooks/:id/health",
  scope: "Webhook.Read",
  summary: "See how a webhook fares",
  params: WebhookParams,
  reply: WebhookHealth,
  errors: [webhookNotFound],
  example: {
    reply: {
      enabled: true,
      failingSince: "2026-01-31T08:12:03.250Z",
      disabledAt: null,
      disabledReason: null,
      pending: 42,
      nextAttemptAt: "2026-01-31T09:42:10.000Z",
      lastDeliveredAt: "2026-01-31T08:11:59.004Z",
      unmatchedPatterns: [{ pattern: "pass.craeted", nearest: "pass.created" }],
    },
  },
  handle: (context, { params }) => getHealth(context, params.id),
});

export const webhookRoutes = [
  webhookList,
  webhookCreate,
  webhookGet,
  webhookReplace,
  webhookUpdate,
  webhookDelete,
  webhookRotateSecret,
  webhookGetSettings,
  webhookSetSettings,
  webhookGetHealth,
  webhookStream,
];
