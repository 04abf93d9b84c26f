import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { eventsAbout } from "#src/events/public.ts";

/**
 * Erases what endpoints answered to the events of these subjects, because many endpoints answer
 * with what they were sent. The rows are found webhook by webhook, because the key of a delivery
 * begins with its webhook.
 */
export async function eraseAnswers(tx: TenantTx, subjects: readonly string[]): Promise<void> {
  await tx.run(sql`
    update delivery
       set attempts = (
             select jsonb_agg(jsonb_set(attempt, '{response}', 'null') order by place)
               from jsonb_array_elements(delivery.attempts) with ordinality as each (attempt, place))
      from (${eventsAbout(tx, subjects)}) as event
      join webhook on webhook.tenant_id = event.tenant_id
     where delivery.tenant_id = event.tenant_id
       and delivery.webhook_id = webhook.id
       and delivery.event_id = event.id
       and delivery.attempts <> '[]'
  `);
}
