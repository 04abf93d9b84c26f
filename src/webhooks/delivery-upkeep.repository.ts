import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { isTenantId, type TenantTx } from "#kernel/db/transaction.ts";
import { firstIdOf } from "#kernel/ids.ts";

/** After which event to go on; as text, which keeps every digit. */
export type EventPlace = { readonly at: string; readonly sequence: string };

export type EventHead = EventPlace & { readonly id: string; readonly name: string };

/** What happened in a tenant up to a time, in the order in which it did. */
export function listEventHeads(
  tx: TenantTx,
  after: EventPlace,
  until: string,
  count: number,
): Promise<EventHead[]> {
  return tx.many(sql<EventHead>`
    select id, name, occurred_at::text as at, sequence::text
      from event
     where ${isBetween(tx, after, until)}
     -- By the columns, not by what is selected of them: as text, 10 comes before 9.
     order by event.occurred_at, event.sequence
     limit ${count}
  `);
}

function isBetween(tx: TenantTx, after: EventPlace, until: string): Sql {
  return sql`
    tenant_id = ${tx.tenantId}
    and occurred_at >= ${after.at}::timestamptz
    and occurred_at <= ${until}::timestamptz
    and (occurred_at, sequence) > (${after.at}::timestamptz, ${after.sequence}::bigint)
  `;
}

export type CountedEvents = {
  readonly names: readonly { readonly name: string; readonly count: number }[];
  /** Where the next so many begin; undefined when these were the last. */
  readonly last: EventPlace | undefined;
};

/** How often each name occurs among the next so many events up to a time. */
export async function countEvents(
  tx: TenantTx,
  after: EventPlace,
  until: string,
  count: number,
): Promise<CountedEvents> {
  const row = await tx.one(sql<{ total: number; names: CountedEvents["names"]; last: EventPlace }>`
    with next as materialized (
      select name, occurred_at, sequence
        from event
       where ${isBetween(tx, after, until)}
       order by event.occurred_at, event.sequence
       limit ${count}
    ), counted as (
      select name, count(*)::int as count from next group by name
    )
    select (select count(*)::int from next) as total,
           coalesce((select jsonb_agg(counted) from counted), '[]') as names,
           (select jsonb_build_object('at', occurred_at::text, 'sequence', sequence::text)
              from next order by next.occurred_at desc, next.sequence desc limit 1) as last
  `);
  return { names: row.names, last: row.total < count ? undefined : row.last };
}

/** After every transaction that has begun to write by now. */
export async function getHorizon(context: TenantContext): Promise<string> {
  const [row] = await context.read(sql<{ horizon: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as horizon
  `);
  if (row === undefined) throw new Error("A statement that must give a row gave none.");
  return row.horizon;
}

/** Whether all of them have ended. */
export async function isPassed(context: TenantContext, horizon: string): Promise<boolean> {
  const [row] = await context.read(sql<{ passed: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${horizon}::xid8 as passed
  `);
  return row?.passed === true;
}

export type LoggedWebhook = {
  readonly tenantId: string;
  readonly webhookId: string;
  /** Not deleted. */
  readonly exists: boolean;
};

/** Those that have deliveries at all, each found by one step in the index. */
export function listLoggedWebhooks(
  context: SystemContext & { readonly tenantId: string },
): Promise<LoggedWebhook[]> {
  const { tenantId } = context;
  // Without it the policy of one tenant would look through the rows of all those before it.
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
 * Those for which nothing was planned or done since a time; all without one. A delivery is never
 * older than its event, whose id tells its age: the key finds them.
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
