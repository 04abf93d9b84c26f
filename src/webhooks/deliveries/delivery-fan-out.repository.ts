import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { StoredEvent } from "#kernel/events/define.ts";

export type NewDelivery = { readonly webhookId: string; readonly event: StoredEvent };

/**
 * Writes deliveries if the tenant's subscriptions still have this `revision`, otherwise nothing.
 */
export function insertDeliveries(
  tx: TenantTx,
  tenantId: string,
  revision: string | undefined,
  deliveries: readonly NewDelivery[],
): void {
  tx.defer(sql`
    insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
    select ${tenantId}, webhook_id, event_id, event_name, 'pending', now(), now()
      from unnest(${deliveries.map(({ webhookId }) => webhookId)}::text[],
                  ${deliveries.map(({ event }) => event.id)}::text[],
                  ${deliveries.map(({ event }) => event.name)}::text[])
           as delivery (webhook_id, event_id, event_name)
     where exists (select from webhook_revision
                    where tenant_id = ${tenantId} and revision = ${revision ?? null}::uuid)
        on conflict do nothing
  `);
}

/**
 * Makes the transaction fail and run again if the tenant's subscriptions have another `revision`.
 */
export function requireRevision(
  tx: TenantTx,
  tenantId: string,
  revision: string | undefined,
): void {
  tx.defer(sql`
    select require_guess(${revision ?? null}::uuid is not distinct from (
      select revision from webhook_revision where tenant_id = ${tenantId}))
  `);
}

export async function findRevision(tx: TenantTx, tenantId: string): Promise<string | undefined> {
  const row = await tx.maybeOne(sql<{ revision: string }>`
    select revision from webhook_revision where tenant_id = ${tenantId}
  `);
  return row?.revision;
}

export type EnabledSubscriptions = {
  readonly revision: string;
  readonly subscriptions: readonly { readonly id: string; readonly patterns: readonly string[] }[];
};

export async function findEnabledSubscriptions(
  tx: TenantTx,
  tenantId: string,
): Promise<EnabledSubscriptions | undefined> {
  return await tx.maybeOne(sql<EnabledSubscriptions>`
    select revision,
           coalesce((select jsonb_agg(jsonb_build_object('id', id, 'patterns', events) order by id)
                       from webhook
                      where webhook.tenant_id = webhook_revision.tenant_id and enabled),
                    '[]') as subscriptions
      from webhook_revision
     where tenant_id = ${tenantId}
  `);
}
