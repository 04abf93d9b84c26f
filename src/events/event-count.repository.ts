import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { TENANTS } from "./event.repository.ts";
import type { Position } from "./feed/position.ts";

/** Parts of statements for whoever counts events in the order of the feed, and not their table. */

/** The last event of each tenant that has some: `tenant_id`, `xact`, `sequence`. */
export const lastEvents: Sql = sql`
  with recursive ${TENANTS}
  select tenant.id as tenant_id, last.xact, last.sequence
    from tenant
   cross join lateral (
     select xact, sequence from event
      where tenant_id = tenant.id
      order by xact desc, sequence desc
      limit 1) as last
   where tenant.id is not null
`;

export type EventPart = Position & { readonly count: number };

/**
 * The last of the next events whose transactions, and all earlier ones, have ended: nothing can be
 * committed before it any more. Undefined if there are none.
 */
export function findPartEnd(
  tx: TenantTx,
  after: Position,
  countMax: number,
): Promise<EventPart | undefined> {
  return tx.maybeOne(sql<EventPart>`
    select next.xact::text, next.sequence::text, count(*) over ()::int as count
      from (select event.xact, event.sequence
              from event
             where tenant_id = ${tx.tenantId}
               and (event.xact, event.sequence) > (${after.xact}::xid8, ${after.sequence}::bigint)
               and event.xact < pg_snapshot_xmin(pg_current_snapshot())
             order by event.xact, event.sequence
             limit ${countMax}) as next
     order by next.xact desc, next.sequence desc
     limit 1
  `);
}

/** The events after a position, until and with another one. */
export function eventsBetween({ tenantId }: TenantTx, after: Position, until: Position): Sql {
  return sql`
    select name, occurred_at, data
      from event
     where tenant_id = ${tenantId}
       and (xact, sequence) > (${after.xact}::xid8, ${after.sequence}::bigint)
       and (xact, sequence) <= (${until.xact}::xid8, ${until.sequence}::bigint)
  `;
}

/** Selects the first events after the position that the statement itself has as `place`. */
export function fromPlace(tenantId: string, countMax: number): Sql {
  return sql`
      from event
     where tenant_id = ${tenantId}
       and (xact, sequence) > (coalesce((select xact from place), '0'::xid8),
                               coalesce((select sequence from place), 0))
     order by xact, sequence
     limit ${countMax}
  `;
}

/** The time of the oldest event that is still kept. */
export async function findOldestTime(tx: TenantTx): Promise<Date | undefined> {
  const row = await tx.maybeOne(sql<{ occurredAt: Date }>`
    select occurred_at as "occurredAt"
      from event
     where tenant_id = ${tx.tenantId}
     order by occurred_at
     limit 1
  `);
  return row?.occurredAt;
}
