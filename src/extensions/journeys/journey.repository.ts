import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** What a call has brought about. */
export type DoneCall = { readonly passId: string | null; readonly outcome: string | null };

/** Others who act for the same person wait until the end of the transaction. */
export function lockPerson(tx: TenantTx, person: string): void {
  const name = `${tx.tenantId} journey ${person}`;
  tx.defer(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** Returns false if it was done before. Waits for a transaction that is doing it. */
export async function insertCall(tx: TenantTx, connector: string, key: string): Promise<boolean> {
  const count = await tx.run(sql`
    insert into journey_call (tenant_id, connector, key, created_at)
    values (${tx.tenantId}, ${connector}, ${key}, ${tx.now})
        on conflict do nothing
  `);
  return count > 0;
}

export function updateCall(
  tx: TenantTx,
  connector: string,
  key: string,
  { passId, outcome }: DoneCall,
): void {
  tx.defer(sql`
    update journey_call
       set pass_id = ${passId}, outcome = ${outcome}
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = ${key}
  `);
}

export function findCall(
  tx: TenantTx,
  connector: string,
  key: string,
): Promise<DoneCall | undefined> {
  return tx.maybeOne(sql<DoneCall>`
    select pass_id as "passId", outcome
      from journey_call
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = ${key}
  `);
}

export function listTenantsOfCalls(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`journey_call`);
}

export async function deleteOldCalls(tx: TenantTx, before: Date, limit: number): Promise<number> {
  return await tx.run(sql`
    with old as materialized (
      select connector, key
        from journey_call
       where tenant_id = ${tx.tenantId} and created_at < ${before}
       order by created_at
       limit ${limit}
         for update skip locked)
    delete from journey_call
     where tenant_id = ${tx.tenantId} and (connector, key) in (select connector, key from old)
  `);
}
