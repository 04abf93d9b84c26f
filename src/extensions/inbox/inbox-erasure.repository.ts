import type { SystemContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Stands for what was said of deliveries that have no content any more. */
export const ERASED = "What it contained was erased.";

/** So few locks, however many people a transaction erases: the memory of the server for locks is small. */
const LOCKS_PER_TENANT = 64;

/** The numbers of the locks of these terms, each once, in the order in which all transactions take them. */
function lockNumbersOf(terms: readonly string[]): Sql {
  return sql`
    (select distinct hashtextextended(term, 0) & ${LOCKS_PER_TENANT - 1}::bigint as number
       from unnest(${terms}::text[]) as term
      order by number) as numbered`;
}

/**
 * Until the end of this transaction, no erasure looks for deliveries about these: it finds what this
 * transaction writes, or has committed. Call it just before a delivery ends, after all that an erasure
 * may have locked.
 */
export function holdTerms(tx: TenantTx, terms: readonly string[]): void {
  tx.defer(sql`
    select pg_advisory_xact_lock_shared(hashtextextended(${tx.tenantId} || ' inbox ' || number, 0))
      from ${lockNumbersOf(terms)}
  `);
}

/** Waits for deliveries about these that are about to end, and keeps others from it until the commit. */
export function awaitTerms(tx: TenantTx, terms: readonly string[]): void {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${tx.tenantId} || ' inbox ' || number, 0))
      from ${lockNumbersOf(terms)}
  `);
}

/**
 * Erases the content of deliveries. One that was worked on keeps that it came, and when; its subject,
 * and what was said of it, may name whom it is about. One that waits is passed over, also if a worker
 * has claimed it: without the claim the worker cannot end it, and all that it did is undone. Whether
 * that worker still lives makes no difference.
 */
function eraseFound(tx: TenantTx, found: Sql): void {
  tx.defer(sql`
    with found as materialized (${found})
    update inbound_delivery as delivery
       set body = null, headers = '{}', subject = 'erased', yields = false,
           claim = null, claimed_until = null,
           problem = case when delivery.status = 'waiting'
                          then 'It is older than the erasure of whom it is about.'
                          when delivery.problem is not null then ${ERASED} end,
           result = case when delivery.result is not null then (
             select coalesce(jsonb_agg(outcome - 'note' order by at), '[]')
               from jsonb_array_elements(delivery.result) with ordinality as each (outcome, at)) end,
           finished_at = case when delivery.status = 'waiting' then ${tx.now}
                              else delivery.finished_at end,
           status = case when delivery.status = 'waiting' then 'ignored' else delivery.status end
      from found
     where delivery.tenant_id = ${tx.tenantId} and delivery.id = found.id
  `);
}

/** What says that somebody is gone is followed, and has no content after that. */
const CAN_GO = sql`(status <> 'waiting' or tells is distinct from 'gone')`;

type Subject = { readonly connector: string; readonly subject: string };

/** Those that wait are found by their subject; they may have no traces yet. */
export function eraseWaiting(tx: TenantTx, subjects: readonly Subject[]): void {
  eraseFound(
    tx,
    sql`
      select delivery.id
        from unnest(${subjects.map(({ connector }) => connector)}::text[],
                    ${subjects.map(({ subject }) => subject)}::text[]) as erased (connector, subject)
        join inbound_delivery as delivery using (connector, subject)
       where delivery.tenant_id = ${tx.tenantId} and delivery.status = 'waiting' and ${CAN_GO}
       order by delivery.id
         for update of delivery
    `,
  );
}

/**
 * Those that were worked on, and those that name several people, are found by each of them. Call it after
 * `eraseWaiting`: what was just being ended then has ended, and has its traces.
 */
export function eraseByTerms(tx: TenantTx, terms: readonly string[]): void {
  eraseFound(
    tx,
    sql`
      select id
        from inbound_delivery
       where tenant_id = ${tx.tenantId}
         and (body is not null or subject <> 'erased')
         and ${CAN_GO}
         and id in (select delivery_id from inbound_trace
                     where tenant_id = ${tx.tenantId} and term = any(${terms}::text[]))
       order by inbound_delivery.id
         for update
    `,
  );
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
                          and delivery.body is not null)
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
 * what they contained goes now, as it would have if they had been done. The claim of a worker that died
 * holds up nothing: it counts as long as its lease.
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
         and (claimed_until is null or claimed_until <= now())
       limit ${limit}
         for update skip locked)
    update inbound_delivery as delivery
       set status = 'failed', problem = ${problem}, finished_at = ${tx.now}, yields = false,
           body = null, headers = '{}', claim = null, claimed_until = null
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
