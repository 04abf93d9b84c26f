import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { RawEvent } from "./event.envelope.ts";
import type { Position } from "./feed/position.ts";

/** What is needed to select an event without reading its data. */
export type EventHead = Position & {
  readonly name: string;
  /** The number of bytes as stored. */
  readonly size: number;
  /**
   * Whether this transaction and all earlier ones have ended, in every database of the server.
   * Before that, another event may still be committed at an earlier position, and a reader that has
   * gone on would never see it.
   */
  readonly isSettled: boolean;
};

/**
 * Lists events in the order of the feed, after a position. A position that this server has not
 * reached comes from another server, before a restore. Then the list starts at the beginning:
 * readers may get events twice, but miss none.
 */
export function listHeads(
  context: TenantContext,
  after: Position,
  count: number,
): Promise<EventHead[]> {
  return context.read(sql<EventHead>`
    select xact::text, sequence::text, name,
           pg_column_size(data) + coalesce(pg_column_size(previous), 0) as size,
           xact < pg_snapshot_xmin(pg_current_snapshot()) as "isSettled"
      from event
     where tenant_id = ${context.tenantId}
       and (xact, sequence) > (
             case when ${after.xact}::xid8 > pg_snapshot_xmax(pg_current_snapshot())
                  then '0'::xid8 else ${after.xact}::xid8 end,
             ${after.sequence}::bigint)
     -- By the columns, not by what is selected of them: as text, 10 comes before 9.
     order by event.xact, event.sequence
     limit ${count}
  `);
}

/** How far back a list goes. Events that happened before `since` are not in it. */
export type Bound = {
  /** A time as text, or ALWAYS. */
  readonly since: string;
  /** A position before the first event since that time, as `findStart` finds it. */
  readonly after: Position;
};

/** The time before all events. */
export const ALWAYS = "-infinity";

/**
 * Lists events in the reverse order of the feed, before a position. What is committed is shown at
 * once, so nothing is held back here: who must miss no event reads forwards.
 */
export function listHeadsBefore(
  context: TenantContext,
  before: Position,
  { since, after }: Bound,
  count: number,
): Promise<EventHead[]> {
  return context.read(sql<EventHead>`
    select xact::text, sequence::text, name,
           pg_column_size(data) + coalesce(pg_column_size(previous), 0) as size,
           true as "isSettled"
      from event
     where tenant_id = ${context.tenantId}
       and (xact, sequence) < (${before.xact}::xid8, ${before.sequence}::bigint)
       and (xact, sequence) > (${after.xact}::xid8, ${after.sequence}::bigint)
       -- "is true" keeps the index of times out of it: by that, all events since the time would be
       -- read and sorted for each page.
       and (occurred_at >= ${since}::timestamptz) is true
     order by event.xact desc, event.sequence desc
     limit ${count}
  `);
}

/**
 * The events about one pass or customer. They are taken first, by the index of subjects: on the way
 * through the feed, few of many would be found late.
 */
const aboutSubject = (tenantId: string, subject: string, since: string) => sql`
  about as materialized (
    select xact, sequence, name,
           pg_column_size(data) + coalesce(pg_column_size(previous), 0) as size
      from event
     where tenant_id = ${tenantId} and subject = ${subject}
       and occurred_at >= ${since}::timestamptz)
`;

/** As `listHeads`, but only events about one subject. */
export function listHeadsAbout(
  context: TenantContext,
  subject: string,
  after: Position,
  count: number,
): Promise<EventHead[]> {
  return context.read(sql<EventHead>`
    with ${aboutSubject(context.tenantId, subject, ALWAYS)}
    select xact::text, sequence::text, name, size,
           xact < pg_snapshot_xmin(pg_current_snapshot()) as "isSettled"
      from about
     where (xact, sequence) > (
             case when ${after.xact}::xid8 > pg_snapshot_xmax(pg_current_snapshot())
                  then '0'::xid8 else ${after.xact}::xid8 end,
             ${after.sequence}::bigint)
     order by about.xact, about.sequence
     limit ${count}
  `);
}

/**
 * As `listHeadsBefore`, but only events about one subject. Their index knows the time, so no position
 * is needed to end in time.
 */
export function listHeadsAboutBefore(
  context: TenantContext,
  subject: string,
  before: Position,
  since: string,
  count: number,
): Promise<EventHead[]> {
  return context.read(sql<EventHead>`
    with ${aboutSubject(context.tenantId, subject, since)}
    select xact::text, sequence::text, name, size, true as "isSettled"
      from about
     where (xact, sequence) < (${before.xact}::xid8, ${before.sequence}::bigint)
     order by about.xact desc, about.sequence desc
     limit ${count}
  `);
}

export type PlacedEvent = RawEvent & Position;

/** Leaves out events that were deleted meanwhile. */
export function listEvents(
  context: TenantContext,
  places: readonly Position[],
): Promise<PlacedEvent[]> {
  return context.read(sql<PlacedEvent>`
    select event.id, event.tenant_id as "tenantId", event.name, event.occurred_at as "occurredAt",
           event.data::text as "dataText", event.previous::text as "previousText",
           event.xact::text, event.sequence::text
      from unnest(${places.map(({ xact }) => xact)}::xid8[],
                  ${places.map(({ sequence }) => sequence)}::bigint[])
        as place (xact, sequence)
      join event on event.tenant_id = ${context.tenantId}
                and event.xact = place.xact
                and event.sequence = place.sequence
     order by event.xact, event.sequence
  `);
}

/** The position before every event whose transaction may still be running. */
export async function getEnd(context: TenantContext): Promise<Position> {
  const [row] = await context.read(sql<{ xact: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xact
  `);
  if (row === undefined) throw new Error("A statement that must give a row gave none.");
  return { xact: row.xact, sequence: "0" };
}

/**
 * The position before the first event since a time. Events within a minute may be in another order
 * than their times: the time is taken when a transaction begins, the position when it first writes.
 */
export async function findStart(
  context: TenantContext,
  since: string,
): Promise<Position | undefined> {
  const { tenantId } = context;
  const [row] = await context.read(sql<Position>`
    -- The upper bound is reckoned first: row-level security keeps sums out of the index condition.
    with first as (
      select occurred_at, occurred_at + interval '1 minute' as until
        from event
       where tenant_id = ${tenantId} and occurred_at >= ${since}::timestamptz
       order by occurred_at
       limit 1),
    candidate as materialized (
      select event.xact, event.sequence
        from first
        join event on event.tenant_id = ${tenantId}
                  and event.occurred_at between first.occurred_at and first.until)
    select xact::text, (sequence - 1)::text as sequence
      from candidate
     order by candidate.xact, candidate.sequence
     limit 1
  `);
  return row;
}

/** Tenants that have events. Each tenant takes one step in the index. */
export const TENANTS = sql`
  tenant as (
    (select tenant_id as id from event order by tenant_id limit 1)
    union all
    select (select tenant_id from event
             where tenant_id > tenant.id order by tenant_id limit 1)
      from tenant
     where tenant.id is not null)
`;

export async function listTenants(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    with recursive ${TENANTS} select id from tenant where id is not null
  `);
  return rows.map(({ id }) => id);
}

/**
 * Tenants with events of transactions that this server has not reached. `reached` is the number
 * that it has reached.
 */
export function listStrays(context: SystemContext): Promise<{ id: string; reached: string }[]> {
  return context.read(sql<{ id: string; reached: string }>`
    with recursive ${TENANTS}
    select tenant.id, pg_snapshot_xmax(pg_current_snapshot())::text as reached
      from tenant
     cross join lateral (
       select xact from event
        where tenant_id = tenant.id
        order by xact desc, sequence desc
        limit 1) as last
     where tenant.id is not null and last.xact > pg_snapshot_xmax(pg_current_snapshot())
  `);
}

/**
 * Gives events the number of this transaction, which places them after all older events. They keep
 * their order. Returns how many.
 */
export function renumberEvents(tx: TenantTx, reached: string, count: number): Promise<number> {
  return tx.run(sql`
    update event
       set xact = pg_current_xact_id()
     where tenant_id = ${tx.tenantId}
       and id = any (array(
         select id
           from event
          where tenant_id = ${tx.tenantId}
            and xact > ${reached}::xid8
            and xact <> pg_current_xact_id()
          order by event.xact desc
          limit ${count}
            for update skip locked))
  `);
}

/** Returns the number of deleted events. If it equals `count`, there may be more. */
export function deleteEventsBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    with old as materialized (
      select id
        from event
       where tenant_id = ${tx.tenantId} and occurred_at < ${before}
       order by occurred_at
       limit ${count}
         for update skip locked)
    delete from event
     where tenant_id = ${tx.tenantId}
       -- Not as a list: before the table is analyzed, each event of the tenant may be looked for in it.
       and id in (select id from old)
  `);
}
