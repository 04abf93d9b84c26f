import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { eventsAbout } from "#src/events/public.ts";

/**
 * Erases what endpoints answered to the events of these subjects, because many endpoints answer
 * with what they were sent. Deliveries that wait or are under way are marked too: what is answered to
 * them later is not stored. The worker that records it changes the same row, so one of the two comes first.
 * The rows are locked in the order in which workers record them. Returns the webhooks with deliveries
 * that wait.
 */
export async function eraseAnswers(
  tx: TenantTx,
  subjects: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.many(sql<{ webhookId: string; isPending: boolean }>`
    with about as materialized (
      select delivery.webhook_id, delivery.event_id
        from (${eventsAbout(tx, subjects)}) as event
        join delivery on delivery.tenant_id = event.tenant_id and delivery.event_id = event.id
       order by delivery.webhook_id collate "C", delivery.event_id
         for update of delivery
    )
    update delivery
       set is_erased = true,
           attempts = coalesce((
             select jsonb_agg(jsonb_set(attempt, '{response}', 'null') order by place)
               from jsonb_array_elements(delivery.attempts) with ordinality as each (attempt, place)
             ), '[]')
      from about
     where delivery.tenant_id = ${tx.tenantId}
       and delivery.webhook_id = about.webhook_id
       and delivery.event_id = about.event_id
    returning delivery.webhook_id as "webhookId", delivery.state = 'pending' as "isPending"
  `);
  return new Set(rows.flatMap(({ webhookId, isPending }) => (isPending ? webhookId : [])));
}
