import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { acceptedJob } from "#src/jobs/public.ts";
import {
  deliveryEventGone,
  deliveryNotFound,
  webhookIsDisabled,
  webhookNotFound,
} from "../webhook.errors.ts";
import { WebhookParams } from "../webhook.schema.ts";
import {
  ALL_DELIVERIES_EXAMPLE,
  DELIVERIES_EXAMPLE,
  DELIVERY_EXAMPLE,
  Delivery,
  DeliveryOfWebhook,
  DeliveryParams,
  DeliverySummary,
  type DetailedDelivery,
  deliveryVersionOf,
  presentDelivery,
  REDELIVERY_EXAMPLE,
  Recovery,
  RecoveryRequest,
  TestRequest,
} from "./delivery.schema.ts";
import {
  getDelivery,
  listDeliveries,
  recoverDeliveries,
  redeliverDelivery,
  testWebhook,
} from "./delivery.service.ts";
import { ALL_DELIVERIES_LIST, listAllDeliveries } from "./delivery-list.repository.ts";
import { DELIVERY_LIST } from "./delivery-log.repository.ts";

function present({ runtime }: TenantContext, delivery: DetailedDelivery) {
  return answer(presentDelivery(delivery, runtime.environment), {
    version: deliveryVersionOf(delivery),
  });
}

export const deliveryListAll = defineRoute({
  op: "delivery.list-all",
  method: "GET",
  url: "/api/:tenantId/deliveries",
  scope: "Webhook.Read",
  summary: "List the deliveries of all webhooks",
  description:
    "The newest event first, and each of its deliveries with its webhook. Kept as long as those of one webhook; those of a deleted webhook leave the list at once.",
  list: ALL_DELIVERIES_LIST,
  reply: Type.Array(DeliveryOfWebhook),
  example: { reply: ALL_DELIVERIES_EXAMPLE },
  handle: listAllDeliveries,
});

export const deliveryList = defineRoute({
  op: "delivery.list",
  method: "GET",
  url: "/api/:tenantId/webhooks/:id/deliveries",
  scope: "Webhook.Read",
  summary: "List the deliveries of a webhook",
  description:
    "The newest event first. Kept for 30 days after the last attempt, or as long as `retention.deliveryDays` of `tenant.yml` says.",
  params: WebhookParams,
  list: DELIVERY_LIST,
  reply: Type.Array(DeliverySummary),
  errors: [webhookNotFound],
  example: { reply: DELIVERIES_EXAMPLE },
  handle: (context, input) => listDeliveries(context, input.params.id, input),
});

export const deliveryGet = defineRoute({
  op: "delivery.get",
  method: "GET",
  url: "/api/:tenantId/webhooks/:id/deliveries/:deliveryId",
  scope: "Webhook.Read",
  summary: "Read one delivery with its attempts",
  description:
    "Each attempt with its request, answer and timing, and the body. A delivery has the id of its event, which the receiver sees as `webhook-id`.",
  params: DeliveryParams,
  reply: Delivery,
  errors: [webhookNotFound, deliveryNotFound],
  example: { reply: DELIVERY_EXAMPLE },
  async handle(context, { params }) {
    return present(context, await getDelivery(context, params.id, params.deliveryId));
  },
});

export const deliveryRedeliver = defineRoute({
  op: "delivery.redeliver",
  method: "POST",
  url: "/api/:tenantId/webhooks/:id/deliveries/:deliveryId/redeliver",
  scope: "Webhook.Write",
  summary: "Send a delivery once more",
  description:
    "Whatever became of it before: it is attempted now and, if that fails, as often as a new one. The log of earlier attempts stays, and this one is counted with them and marked `manual`. One that is being attempted at this moment is left as it is.",
  params: DeliveryParams,
  status: 202,
  reply: Delivery,
  errors: [webhookNotFound, deliveryNotFound, webhookIsDisabled, deliveryEventGone],
  example: { reply: REDELIVERY_EXAMPLE },
  async handle(context, { params: { id, deliveryId } }) {
    const delivery = await redeliverDelivery(context, id, deliveryId);
    const location = `/api/${context.tenantId}/webhooks/${id}/deliveries/${deliveryId}`;
    const shown = presentDelivery(delivery, context.runtime.environment);
    return answer(shown, { status: 202, headers: { location } });
  },
});

export const webhookRecover = defineRoute({
  op: "webhook.recover",
  method: "POST",
  url: "/api/:tenantId/webhooks/:id/recover",
  scope: "Webhook.Write",
  summary: "Deliver what a webhook has missed",
  description:
    "For the time after it was disabled, or failed: events of that time that match and were never sent are delivered, and deliveries that failed begin anew. Those that arrived, or still wait, are left alone, so asking twice does no harm. Goes on in the background as a job, which tells how many events are looked at (`matched`), owed anew (`updated`) and left alone (`unchanged`).",
  params: WebhookParams,
  body: RecoveryRequest,
  status: 202,
  reply: Recovery,
  errors: [webhookNotFound, webhookIsDisabled],
  rateLimit: { limit: 30, windowSeconds: 60 },
  example: {
    body: { since: "2026-01-26T09:00:00Z" },
    reply: {
      jobId: "job_0VfQm3Ks00x7Rk2LwPq9Zt",
      state: "started",
      since: "2026-01-26T09:00:00.000Z",
      until: "2026-01-31T09:30:00.000Z",
    },
  },
  async handle(context, { params, body }) {
    return acceptedJob(context, await recoverDeliveries(context, params.id, body));
  },
});

export const webhookTestRoute = defineRoute({
  op: "webhook.test",
  method: "POST",
  url: "/api/:tenantId/webhooks/:id/test",
  scope: "Webhook.Write",
  summary: "Try out a webhook",
  description:
    "Sends at once, to this webhook alone and whether it is enabled or not, and answers with what came back: 200 also when the endpoint refused. Signed as every delivery is, and marked by `x-service-test` and `test` in the body. With `event`, the documented example of that event is sent under its name. A test is never repeated by itself and does not count as a failure of the webhook.",
  params: WebhookParams,
  body: TestRequest,
  reply: Delivery,
  errors: [webhookNotFound],
  rateLimit: { limit: 30, windowSeconds: 60 },
  inSteps: true,
  example: { body: { event: "configuration.published" }, reply: DELIVERY_EXAMPLE },
  async handle(context, { params, body }) {
    const delivery = await testWebhook(context, params.id, body.event);
    return presentDelivery(delivery, context.runtime.environment);
  },
});

export const deliveryRoutes: Route[] = [
  deliveryListAll,
  deliveryList,
  deliveryGet,
  deliveryRedeliver,
  webhookRecover,
  webhookTestRoute,
];
