import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** So many connections add at the same time without waiting for each other. */
const PARTS = 32;

/**
 * What is to be inserted into the counts for results of attempts, which the statement has as rows with
 * `tenant_id` and `state`, of many tenants. In the order of the tenants, so that two of these never
 * wait for each other in a circle.
 */
export function countsOf(recorded: Sql): Sql {
  return sql`
    (tenant_id, hour, part, delivered, failed, retried)
    select tenant_id, date_trunc('hour', now(), 'UTC'), mod(pg_backend_pid(), ${PARTS}::int),
           count(*) filter (where state = 'delivered'),
           count(*) filter (where state = 'failed'),
           count(*) filter (where state = 'pending')
      from ${recorded}
     group by tenant_id
     order by tenant_id
        on conflict (tenant_id, hour, part) do update
       set delivered = delivery_count.delivered + excluded.delivered,
           failed = delivery_count.failed + excluded.failed,
           retried = delivery_count.retried + excluded.retried
  `;
}

export type DeliveryCounts = {
  /** Between which two of the bounds: 1 for the time from the first bound on. */
  readonly bucket: number;
  readonly delivered: number;
  readonly failed: number;
  readonly retried: number;
};

/** Counts between times, which are in order. What is outside of all of them is left out. */
export function listDeliveryCounts(
  context: TenantContext,
  bounds: readonly Date[],
): Promise<DeliveryCounts[]> {
  return context.read(sql<DeliveryCounts>`
    select width_bucket(hour, ${bounds.map((bound) => bound.toISOString())}::timestamptz[]) as bucket,
           sum(delivered)::float8 as delivered, sum(failed)::float8 as failed,
           sum(retried)::float8 as retried
      from delivery_count
     where tenant_id = ${context.tenantId}
       and hour >= ${bounds[0]}::timestamptz
       and hour < ${bounds.at(-1)}::timestamptz
     group by 1
  `);
}

export function listCountedTenants(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`delivery_count`);
}

/** Returns the number of deleted rows. */
export function deleteCountsBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    with old as materialized (
      select hour, part
        from delivery_count
       where tenant_id = ${tx.tenantId} and hour < ${before}
       order by hour, part
       limit ${count}
         for update skip locked)
    delete from delivery_count
     where tenant_id = ${tx.tenantId} and (hour, part) in (select hour, part from old)
  `);
}
