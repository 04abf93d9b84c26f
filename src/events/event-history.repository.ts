import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Statements that read past events by their time. */

/** The event after which to go on. The numbers are text, so that no digit is lost. */
export type HistoryPosition = { readonly at: string; readonly sequence: string };

export type PastEvent = HistoryPosition & { readonly id: string; readonly name: string };

/** Lists events up to a time, the oldest first. */
export function listHistory(
  tx: TenantTx,
  after: HistoryPosition,
  until: string,
  count: number,
): Promise<PastEvent[]> {
  return tx.many(sql<PastEvent>`
    select id, name, occurred_at::text as at, sequence::text
      from event
     where ${isBetween(tx, after, until)}
     -- By the columns, not by what is selected of them: as text, 10 comes before 9.
     order by event.occurred_at, event.sequence
     limit ${count}
  `);
}

function isBetween(tx: TenantTx, after: HistoryPosition, until: string): Sql {
  return sql`
    tenant_id = ${tx.tenantId}
    and occurred_at >= ${after.at}::timestamptz
    and occurred_at <= ${until}::timestamptz
    and (occurred_at, sequence) > (${after.at}::timestamptz, ${after.sequence}::bigint)
  `;
}

export type CountedEvents = {
  readonly names: readonly { readonly name: string; readonly count: number }[];
  /** The event after which the next call goes on; undefined if there are no more events. */
  readonly last: HistoryPosition | undefined;
};

/** Takes the next `count` events up to a time, and counts how often each name occurs. */
export async function countEvents(
  tx: TenantTx,
  after: HistoryPosition,
  until: string,
  count: number,
): Promise<CountedEvents> {
  const row = await tx.one(sql<{
    total: number;
    names: CountedEvents["names"];
    last: HistoryPosition;
  }>`
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

export type TimelineEntry = {
  readonly id: string;
  readonly event: string;
  readonly occurredAt: string;
};

const TIMELINE_MAX = 100;

export type EventAbout = {
  readonly id: string;
  readonly name: string;
  readonly at: Date;
  readonly requestId: string | null;
  readonly data: unknown;
  readonly previous: unknown;
};

/** Lists the events about one customer or pass before a time with their contents, newest first. */
export function listEventsAbout(
  context: TenantContext,
  subject: string,
  before: Date,
  count: number,
): Promise<EventAbout[]> {
  return context.read(sql<EventAbout>`
    select id, name, occurred_at as at, request_id as "requestId", data, previous
      from event
     where tenant_id = ${context.tenantId} and subject = ${subject} and occurred_at < ${before}
     order by occurred_at desc, sequence desc
     limit ${count}
  `);
}

/** Lists the events about one customer or pass, newest first. */
export async function listTimeline(
  context: TenantContext,
  subject: string,
): Promise<TimelineEntry[]> {
  const rows = await context.read(sql<{ id: string; event: string; occurredAt: Date }>`
    select id, name as event, occurred_at as "occurredAt"
      from event
     where tenant_id = ${context.tenantId} and subject = ${subject}
     order by occurred_at desc, sequence desc
     limit ${TIMELINE_MAX}
  `);
  return rows.map((row) => ({ ...row, occurredAt: row.occurredAt.toISOString() }));
}
