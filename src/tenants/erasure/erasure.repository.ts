import type { SystemContext } from "#kernel/context.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** A tenant that was deleted, and whose rows may still be there. */
export type EndedTenant = { readonly id: string; readonly endedAt: Date };

export async function findEndedTenant(
  context: SystemContext,
  id: string,
): Promise<EndedTenant | undefined> {
  const rows = await context.read(sql<EndedTenant>`
    select id, deleted_at as "endedAt" from tenant where id = ${id} and deleted_at is not null
  `);
  return rows[0];
}

/** Those that ended before that time, and should have been erased since. */
export async function listEndedBefore(context: SystemContext, before: Date): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    select id from tenant where deleted_at < ${before} order by id
  `);
  return rows.map(({ id }) => id);
}

/**
 * False if the id belongs to another tenant by now. Otherwise it cannot be given to another one before the
 * commit.
 */
export async function lockEndedTenant(
  tx: TenantTx,
  { id, endedAt }: EndedTenant,
): Promise<boolean> {
  const row = await tx.maybeOne(sql`
    select
      from tenant
     where id = ${id} and date_trunc('milliseconds', deleted_at) = ${endedAt}
       for update
  `);
  return row !== undefined;
}

/**
 * True if no transaction of the tenant is under way. Others cannot begin, because each of them takes this
 * lock first and then sees that the tenant has ended.
 */
export async function hasNoWriters(tx: TenantTx, { id }: EndedTenant): Promise<boolean> {
  const { isFree } = await tx.one(sql<{ isFree: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`tenant ${id}`}, 0)) as "isFree"
  `);
  return isFree;
}

/**
 * Moves the audit records of the deletion to the installation. In the trail of the tenant they would be
 * erased, or be shown to the next tenant with this id.
 */
export async function keepDeletion(tx: TenantTx, { id, endedAt }: EndedTenant): Promise<void> {
  await tx.run(sql`
    update audit
       set tenant_id = ${SYSTEM_SCOPE}
     where tenant_id = ${id} and at = ${endedAt} and op = 'tenant.delete'
  `);
}

/** Frees the id for another tenant. */
export async function deleteEndedTenant(tx: TenantTx, { id, endedAt }: EndedTenant): Promise<void> {
  tx.defer(sql`
    insert into ended_tenant (id, ended_at) values (${id}, ${endedAt})
        on conflict (id) do update set ended_at = excluded.ended_at
  `);
  await tx.run(sql`delete from tenant where id = ${id} and deleted_at is not null`);
}
