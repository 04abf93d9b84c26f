import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** The subject of a delivery may be an identifier of whom it is about. */
const emptied = sql`body = null, headers = '{}', subject = 'erased'`;

/** Deliveries that were worked on keep that they came, and when. */
export function eraseByTerms(tx: TenantTx, terms: readonly string[]): void {
  tx.defer(sql`
    update inbound_delivery
       set ${emptied}
     where tenant_id = ${tx.tenantId}
       and (body is not null or subject <> 'erased')
       and status <> 'waiting'
       and id in (select delivery_id from inbound_trace
                   where tenant_id = ${tx.tenantId} and term = any(${terms}::text[]))
  `);
}

type Subject = { readonly connector: string; readonly subject: string };

const passedOver = (tx: TenantTx) => sql`
  ${emptied}, status = 'ignored', finished_at = ${tx.now},
  problem = 'It is older than the erasure of whom it is about.'
`;

/** Those that name several people are found by each of them. */
export function eraseWaitingByTerms(tx: TenantTx, terms: readonly string[]): void {
  tx.defer(sql`
    update inbound_delivery
       set ${passedOver(tx)}
     where tenant_id = ${tx.tenantId}
       and status = 'waiting'
       and claim is null
       and id in (select delivery_id from inbound_trace
                   where tenant_id = ${tx.tenantId} and term = any(${terms}::text[]))
  `);
}

/** One that is being worked on is left: it waits for this erasure, or the erasure for it. */
export function eraseWaiting(tx: TenantTx, subjects: readonly Subject[]): void {
  tx.defer(sql`
    update inbound_delivery as delivery
       set ${passedOver(tx)}
      from unnest(${subjects.map(({ connector }) => connector)}::text[],
                  ${subjects.map(({ subject }) => subject)}::text[]) as erased (connector, subject)
     where delivery.tenant_id = ${tx.tenantId}
       and delivery.connector = erased.connector
       and delivery.subject = erased.subject
       and delivery.status = 'waiting'
       and delivery.claim is null
  `);
}

/** What led to deliveries that are erased now, and names whom they were about. */
export function deleteTraces(tx: TenantTx, terms: readonly string[]): void {
  tx.defer(sql`
    delete from inbound_trace
     where tenant_id = ${tx.tenantId}
       and term = any(${terms}::text[])
       and not exists (select from inbound_delivery as delivery
                        where delivery.tenant_id = ${tx.tenantId}
                          and delivery.id = inbound_trace.delivery_id
                          and delivery.status = 'waiting')
  `);
}

export function listTenantsOfInboxes(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`inbound_delivery`);
}

export type GivenUp = {
  readonly id: string;
  readonly connector: string;
  readonly topic: string;
  readonly receivedAt: Date;
  readonly attempts: number;
};

/**
 * Ends those that waited in vain, because their connector is switched off. They keep that they came;
 * what they contained goes now, as it would have if they had been done.
 */
export function endOldWaiting(
  tx: TenantTx,
  before: Date,
  limit: number,
  problem: string,
): Promise<GivenUp[]> {
  return tx.many(sql<GivenUp>`
    with old as materialized (
      select id from inbound_delivery
       where tenant_id = ${tx.tenantId}
         and status = 'waiting'
         and received_at < ${before}
         and next_attempt_at < ${before}
         and claim is null
       limit ${limit}
         for update skip locked)
    update inbound_delivery as delivery
       set status = 'failed', problem = ${problem}, finished_at = ${tx.now}, yields = false,
           body = null, headers = '{}'
      from old
     where delivery.tenant_id = ${tx.tenantId} and delivery.id = old.id
    returning delivery.id, delivery.connector, delivery.topic,
              delivery.received_at as "receivedAt", delivery.attempts
  `);
}

export async function deleteOldDeliveries(
  tx: TenantTx,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await tx.many(sql<{ id: string }>`
    with old as materialized (
      select id from inbound_delivery
       where tenant_id = ${tx.tenantId}
         and finished_at < ${before}
       limit ${limit}
         for update skip locked),
    traces as (
      delete from inbound_trace
       where tenant_id = ${tx.tenantId} and delivery_id in (select id from old))
    delete from inbound_delivery
     where tenant_id = ${tx.tenantId} and id in (select id from old)
    returning id
  `);
  return rows.length;
}
