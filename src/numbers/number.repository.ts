import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { eventsBetween, fromPlace, lastEvents, type Position } from "#src/events/public.ts";
import { passCreated, passInstalled, passUninstalled } from "#src/passes/public.ts";
import { privilegeMoved } from "#src/privileges/public.ts";
import { scanRecorded } from "#src/scans/public.ts";
import { passUpdateDelivered, passUpdateFailed } from "#src/wallets/public.ts";

/** Counted by wallet. */
const BY_WALLET = [passInstalled, passUninstalled, passUpdateDelivered, passUpdateFailed].map(
  ({ name }) => name,
);

/**
 * What an event counts for: `at`, `name`, `detail` and `value`. The detail is null if it counts for
 * nothing. Of somebody who was erased in the minute before the count only the bare event is left: it
 * counts where its name is enough.
 *
 * A scan or a movement that comes later, from a till without network, counts for when it happened,
 * as in the lists that show it. Nothing counts for the future.
 */
function tallied(events: Sql): Sql {
  return sql`
    select least(occurred_at, coalesce(
             case name when ${scanRecorded.name} then (data ->> 'scannedAt')::timestamptz
                       when ${privilegeMoved.name} then (data ->> 'occurredAt')::timestamptz end,
             occurred_at)) as at,
           name,
           case when name = ${passCreated.name} then ''
                when name = any(${BY_WALLET}::text[]) then coalesce(data ->> 'wallet', '')
                when name = ${scanRecorded.name} then data ->> 'decision'
                when name = ${privilegeMoved.name} and data ->> 'type' = 'redemption'
                then coalesce(data #>> '{privilege,unit}', '') end as detail,
           case when name = ${privilegeMoved.name} then - (data ->> 'value')::numeric
                when name = any(${BY_WALLET}::text[])
                then coalesce((data ->> 'pushes')::numeric, 0)
                else 0 end as value
      from (${events}) as event_told`;
}

export type Cursor = Position & {
  readonly countedFrom: Date | null;
  /** The position is of another server: the database was restored here. */
  readonly isForeign: boolean;
};

/** Makes the cursor of a new tenant, and locks it. Undefined if somebody else is counting. */
export async function findCursorForUpdate(tx: TenantTx): Promise<Cursor | undefined> {
  tx.defer(sql`
    insert into number_cursor (tenant_id, xact, sequence) values (${tx.tenantId}, '0', 0)
        on conflict (tenant_id) do nothing
  `);
  return await tx.maybeOne(sql<Cursor>`
    select xact::text, sequence::text, counted_from as "countedFrom",
           xact > pg_snapshot_xmax(pg_current_snapshot()) as "isForeign"
      from number_cursor
     where tenant_id = ${tx.tenantId}
       for update skip locked
  `);
}

/** Adds the events after a cursor, until and with a position, and moves the cursor there. */
export async function addEvents(tx: TenantTx, cursor: Cursor, until: Position): Promise<void> {
  tx.defer(sql`
    insert into number_by_hour as known (tenant_id, hour, name, detail, count, value)
    select ${tx.tenantId}, date_trunc('hour', at, 'UTC'), name, detail, count(*), sum(value)
      from (${tallied(eventsBetween(tx, cursor, until))}) as tallied
     where detail is not null
       and at >= coalesce(${cursor.countedFrom}::timestamptz, '-infinity')
     group by 2, 3, 4
        on conflict (tenant_id, hour, name, detail) do update
       set count = known.count + excluded.count, value = known.value + excluded.value
  `);
  await tx.run(sql`
    update number_cursor
       set xact = ${until.xact}::xid8, sequence = ${until.sequence}::bigint
     where tenant_id = ${tx.tenantId}
  `);
}

/** Forgets what was counted since a time, so that all events that are kept are counted again. */
export async function restartCount(tx: TenantTx, countedFrom: Date): Promise<void> {
  tx.defer(sql`
    delete from number_by_hour where tenant_id = ${tx.tenantId} and hour >= ${countedFrom}
  `);
  await tx.run(sql`
    update number_cursor
       set xact = '0', sequence = 0, counted_from = ${countedFrom}
     where tenant_id = ${tx.tenantId}
  `);
}

/** Tenants with events that are not counted yet. */
export async function listTenantsToCount(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select last.tenant_id as "tenantId"
      from (${lastEvents}) as last
      join tenant on tenant.id = last.tenant_id and tenant.deleted_at is null
      left join number_cursor as cursor on cursor.tenant_id = last.tenant_id
     where cursor.tenant_id is null
        or (last.xact, last.sequence) > (cursor.xact, cursor.sequence)
        or cursor.xact > pg_snapshot_xmax(pg_current_snapshot())
  `);
  return rows.map(({ tenantId }) => tenantId);
}

export type CountRow = {
  /** Between which two of the bounds: 1 for the time from the first bound on. */
  readonly bucket: number;
  readonly name: string;
  readonly detail: string;
  readonly count: number;
  readonly value: string;
};

/** The name of the row that tells how many events were not counted before. */
export const UNCOUNTED = "uncounted";

/**
 * Sums between times, which are in order: of the hours that are counted, and of the first events
 * that are not. One statement, so that both are of the same moment and nothing counts twice.
 */
export function listCounts(
  context: TenantContext,
  bounds: readonly Date[],
  uncountedMax: number,
): Promise<CountRow[]> {
  const { tenantId } = context;
  const [from, to] = [bounds[0], bounds.at(-1)];
  return context.read(sql<CountRow>`
    with place as (
      select xact, sequence, counted_from from number_cursor where tenant_id = ${tenantId}
    ), uncounted as materialized (
      ${tallied(sql`select name, occurred_at, data ${fromPlace(tenantId, uncountedMax)}`)}
    ), told as (
      select hour, name, detail, count, value
        from number_by_hour
       where tenant_id = ${tenantId}
         and hour >= ${from}::timestamptz
         and hour < ${to}::timestamptz
       union all
      select date_trunc('hour', at, 'UTC'), name, detail, 1, value
        from uncounted
       where detail is not null
         and at >= coalesce((select counted_from from place), '-infinity')
    )
    select width_bucket(hour, ${bounds.map((bound) => bound.toISOString())}::timestamptz[])
             as bucket,
           name, detail, sum(count)::float8 as count, sum(value)::text as value
      from told
     where hour >= ${from}::timestamptz and hour < ${to}::timestamptz
     group by 1, 2, 3
     union all
    select 0, ${UNCOUNTED}, '', count(*)::float8, '0' from uncounted
  `);
}

export function listNumberedTenants(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`number_by_hour`);
}

/** Returns the number of deleted rows. */
export function deleteHoursBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    with old as materialized (
      select hour, name, detail
        from number_by_hour
       where tenant_id = ${tx.tenantId} and hour < ${before}
       order by hour, name, detail
       limit ${count}
         for update skip locked)
    delete from number_by_hour
     where tenant_id = ${tx.tenantId}
       and (hour, name, detail) in (select hour, name, detail from old)
  `);
}
