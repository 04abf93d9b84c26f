import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { firstIdOf } from "#kernel/ids.ts";

/**
 * Returns a transaction id that is higher than that of every transaction that has written so far.
 */
export async function getHorizon(context: TenantContext): Promise<string> {
  const [row] = await context.read(sql<{ horizon: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as horizon
  `);
  if (row === undefined) throw new Error("A statement that must give a row gave none.");
  return row.horizon;
}

/** Whether all transactions before the horizon have ended. */
export async function isPassed(context: TenantContext, horizon: string): Promise<boolean> {
  const [row] = await context.read(sql<{ passed: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${horizon}::xid8 as passed
  `);
  return row?.passed === true;
}

export type LoggedWebhook = {
  readonly tenantId: string;
  readonly webhookId: string;
  /** False if the webhook was deleted. */
  readonly exists: boolean;
};

/** Lists the webhooks that have deliveries; each is found by one step in the index. */
export function listLoggedWebhooks(
  context: Pick<TenantContext, "tenantId" | "read">,
): Promise<LoggedWebhook[]> {
  const { tenantId } = context;
  // Without this condition, the row-level security of one tenant would scan the rows of all tenants
  // before it.
  const inScope = isTenantId(tenantId) ? sql`tenant_id = ${tenantId}` : sql`true`;
  return context.read(sql<LoggedWebhook>`
    with recursive logged as (
      (select tenant_id, webhook_id
         from delivery
        where ${inScope}
        order by tenant_id, webhook_id
        limit 1)
      union all
      select next.*
        from logged cross join lateral (
               select tenant_id, webhook_id
                 from delivery
                where ${inScope}
                  and (tenant_id, webhook_id) > (logged.tenant_id, logged.webhook_id)
                order by tenant_id, webhook_id
                limit 1) next
    )
    select tenant_id as "tenantId", webhook_id as "webhookId",
           exists (select from webhook
                    where webhook.tenant_id = logged.tenant_id
                      and webhook.id = logged.webhook_id) as exists
      from logged
  `);
}

export type Deleted = { readonly count: number; readonly last: string | null };

/**
 * Deletes deliveries that were neither due nor changed since `idleSince`, or all if it is
 * undefined. A delivery is never older than its event, whose id contains its time, so the primary
 * key finds old ones.
 */
export function deleteDeliveries(
  tx: TenantTx,
  webhookId: string,
  idleSince: Date | undefined,
  { after, count }: { readonly after: string; readonly count: number },
): Promise<Deleted> {
  const isOld =
    idleSince === undefined
      ? sql`true`
      : sql`event_id < ${firstIdOf("evt", idleSince)} and due_at < ${idleSince}`;
  return tx.one(sql<Deleted>`
    with old as (
      select event_id
        from delivery
       where tenant_id = ${tx.tenantId}
         and webhook_id = ${webhookId}
         and event_id > ${after}
         and ${isOld}
       order by event_id
       limit ${count}
         for update skip locked
    ), deleted as (
      delete from delivery
       using old
       where delivery.tenant_id = ${tx.tenantId}
         and delivery.webhook_id = ${webhookId}
         and delivery.event_id = old.event_id
      returning delivery.event_id
    )
    select count(*)::int as count, max(event_id) as last from deleted
  `);
}
