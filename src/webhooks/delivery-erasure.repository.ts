import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/**
 * What endpoints answered to the events of these subjects: many answer with what they were sent. Found
 * webhook by webhook, for deliveries are kept in that order.
 */
export async function eraseAnswers(tx: TenantTx, subjects: readonly string[]): Promise<void> {
  await tx.run(sql`
    update delivery
       set attempts = (
             select jsonb_agg(jsonb_set(attempt, '{response}', 'null') order by place)
               from jsonb_array_elements(delivery.attempts) with ordinality as each (attempt, place))
      from event
      join webhook on webhook.tenant_id = event.tenant_id
     where event.tenant_id = ${tx.tenantId}
       and event.subject = any(${subjects}::text[])
       and delivery.tenant_id = event.tenant_id
       and delivery.webhook_id = webhook.id
       and delivery.event_id = event.id
       and delivery.attempts <> '[]'
  `);
}
