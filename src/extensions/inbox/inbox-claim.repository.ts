import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** The work on a delivery may be taken over by others when its worker was silent for so long. */
export const LEASE_SECONDS = 60;

/** A delivery that this process works on. */
export type ClaimedDelivery = {
  readonly id: string;
  readonly connector: string;
  readonly topic: string;
  readonly subject: string;
  readonly tells: "state" | "gone" | null;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** This one included. */
  readonly attempts: number;
};

/** Lists tenants with a delivery whose time has come, or whose worker is gone. */
export async function listTenantsWithDeliveries(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select distinct tenant_id as "tenantId"
      from inbound_delivery
     where status = 'waiting'
       and next_attempt_at <= ${context.clock.now()}
       and (claimed_until is null or claimed_until <= now())
  `);
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * Claims deliveries whose turn has come: of each subject the oldest, unless it lets others go first.
 * Those of other connectors are left alone.
 */
export function claimDeliveries(
  tx: TenantTx,
  claim: string,
  connectors: readonly string[],
  limit: number,
): Promise<ClaimedDelivery[]> {
  return tx.many(sql<ClaimedDelivery>`
    with due as materialized (
      select waiting.id
        from inbound_delivery as waiting
       where waiting.tenant_id = ${tx.tenantId}
         and waiting.status = 'waiting'
         and waiting.next_attempt_at <= ${tx.now}
         and (waiting.claimed_until is null or waiting.claimed_until <= now())
         and waiting.connector = any(${connectors}::text[])
         and not exists (
               select from inbound_delivery as earlier
                where earlier.tenant_id = ${tx.tenantId}
                  and earlier.connector = waiting.connector
                  and earlier.subject = waiting.subject
                  and earlier.id < waiting.id
                  and earlier.status = 'waiting'
                  and not earlier.yields)
       order by waiting.next_attempt_at, waiting.id
       limit ${limit}
         for update skip locked)
    update inbound_delivery as delivery
       set claim = ${claim}, claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}),
           attempts = delivery.attempts + 1
      from due
     where delivery.tenant_id = ${tx.tenantId} and delivery.id = due.id
    returning delivery.id, delivery.connector, delivery.topic, delivery.subject, delivery.tells,
              delivery.occurred_at as "occurredAt", delivery.received_at as "receivedAt",
              delivery.headers, delivery.body, delivery.attempts
  `);
}

export async function renewClaims(tx: TenantTx, claims: readonly string[]): Promise<void> {
  await tx.run(sql`
    update inbound_delivery
       set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where claim = any(${claims}::uuid[]) and status = 'waiting'
  `);
}

/** Gives back what was not begun: others may go on at once. */
export async function releaseClaims(tx: TenantTx, claim: string): Promise<void> {
  await tx.run(sql`
    update inbound_delivery
       set claim = null, claimed_until = null, attempts = greatest(attempts - 1, 0)
     where tenant_id = ${tx.tenantId} and claim = ${claim} and status = 'waiting'
  `);
}

export type Ending = {
  readonly status: "done" | "ignored" | "failed";
  readonly problem: string | null;
  readonly result: unknown;
  /** What it contained must not stay. */
  readonly erases: boolean;
};

/** Returns false if somebody else works on it by now: nothing of the transaction must stay. */
export async function updateToEnded(
  tx: TenantTx,
  id: string,
  claim: string,
  { status, problem, result, erases }: Ending,
): Promise<boolean> {
  const count = await tx.run(sql`
    update inbound_delivery
       set status = ${status}, problem = ${problem}, finished_at = ${tx.now},
           result = ${result === null ? null : JSON.stringify(result)}::jsonb,
           body = case when ${erases} then null else body end,
           headers = case when ${erases} then '{}'::jsonb else headers end,
           -- It may be an identifier of whom it is about.
           subject = case when ${erases} then 'erased' else subject end,
           claim = null, claimed_until = null, yields = false
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${claim} and status = 'waiting'
  `);
  return count > 0;
}

export type Postponement = {
  readonly nextAttemptAt: Date;
  readonly problem: string;
  readonly yields: boolean;
};

export async function updateToPostponed(
  tx: TenantTx,
  id: string,
  claim: string,
  { nextAttemptAt, problem, yields }: Postponement,
): Promise<void> {
  await tx.run(sql`
    update inbound_delivery
       set next_attempt_at = ${nextAttemptAt}, problem = ${problem}, yields = ${yields},
           claim = null, claimed_until = null
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${claim} and status = 'waiting'
  `);
}

/** Those that waited for another of their subject need not wait any longer. */
export function hastenYielding(tx: TenantTx, connector: string, subject: string): void {
  tx.defer(sql`
    update inbound_delivery
       set next_attempt_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and connector = ${connector} and subject = ${subject}
       and status = 'waiting' and yields
  `);
}

/** Whom a delivery tells of, to be found when they are erased. */
export function insertTraces(tx: TenantTx, id: string, terms: readonly string[]): void {
  tx.defer(sql`
    insert into inbound_trace (tenant_id, term, delivery_id)
    select ${tx.tenantId}, term, ${id}
      from unnest(${[...new Set(terms)].sort()}::text[]) as term
        on conflict do nothing
  `);
}
