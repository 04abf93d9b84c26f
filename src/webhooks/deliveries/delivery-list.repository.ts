import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { type DeliveryRowOfWebhook, presentDeliveryOfWebhook } from "./delivery.schema.ts";
import { DELIVERY_LIST, deliveryColumns } from "./delivery-log.repository.ts";

/**
 * Of all webhooks. Several can be sent the same event, so the order is by the event and then by the
 * webhook. Nothing but the event can be sorted by: only both together tell deliveries apart.
 */
export const ALL_DELIVERIES_LIST: ListSpec = {
  ...DELIVERY_LIST,
  fields: {
    ...DELIVERY_LIST.fields,
    webhookId: { sql: "webhook_id", type: "text", nullable: false, sortable: false },
  },
  id: "webhookId",
};

/**
 * The deliveries of a deleted webhook are deleted later, and cannot be read meanwhile. Without
 * `is true` PostgreSQL would make a join of this condition, begin with the webhooks, and sort all that
 * each of them was sent.
 */
export const ofLivingWebhooks = (tenantId: string): Sql => sql`
  tenant_id = ${tenantId}
  and exists (select from webhook
               where webhook.tenant_id = delivery.tenant_id
                 and webhook.id = delivery.webhook_id) is true
`;

export function listAllDeliveries(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: sql<DeliveryRowOfWebhook>`webhook_id as "webhookId", ${deliveryColumns}`,
      from: sql`delivery`,
      where: ofLivingWebhooks(context.tenantId),
      spec: ALL_DELIVERIES_LIST,
      present: presentDeliveryOfWebhook,
    },
    input,
  );
}
