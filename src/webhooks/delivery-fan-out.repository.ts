import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { StoredEvent } from "#kernel/events/outbox.ts";

export type NewDelivery = { readonly webhookId: string; readonly event: StoredEvent };

/**
 * Writes deliveries if the tenant's subscriptions are still those of `revision`, and tells which
 * ones are in force; undefined when the tenant never had any.
 */
export async function insertDeliveries(
  tx: TenantTx,
  tenantId: string,
  revision: string,
  deliveries: readonly NewDelivery[],
): Promise<string | undefined> {
  const row = await tx.maybeOne(sql<{ revision: string }>`
    with current as (
      select revision from webhook_revision where tenant_id = ${tenantId}
    ), inserted as (
      insert into delivery (tenant_id, webhook_id, event_id, event_name, state, due_at, created_at)
      select ${tenantId}, webhook_id, event_id, event_name, 'pending', now(), now()
        from unnest(${deliveries.map(({ webhookId }) => webhookId)}::text[],
                    ${deliveries.map(({ event }) => event.id)}::text[],
                    ${deliveries.map(({ event }) => event.name)}::text[])
             as delivery (webhook_id, event_id, event_name)
       where exists (select from current where revision = ${revision}::uuid)
          on conflict do nothing
    )
    select revision from current
  `);
  return row?.revision;
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
