import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export type CaughtUp = { readonly tenantId: string; readonly connector: string };

/** Tenants whose vendors were given an address; whether they still use them is not known here. */
export function listToCatchUp(
  context: SystemContext,
  connectors: readonly string[],
): Promise<CaughtUp[]> {
  return context.read(sql<CaughtUp>`
    select tenant_id as "tenantId", connector
      from connector_inbox
     where connector = any(${connectors}::text[])
     order by tenant_id, connector
  `);
}

export async function findPlace(
  context: TenantContext,
  connector: string,
  part: string,
): Promise<string | undefined> {
  const rows = await context.read(sql<{ since: string }>`
    select since
      from connector_place
     where tenant_id = ${context.tenantId} and connector = ${connector} and part = ${part}
  `);
  return rows[0]?.since;
}

export function upsertPlace(tx: TenantTx, connector: string, part: string, since: string): void {
  tx.defer(sql`
    insert into connector_place (tenant_id, connector, part, since, looked_at)
    values (${tx.tenantId}, ${connector}, ${part}, ${since}, ${tx.now})
        on conflict (tenant_id, connector, part) do update
       set since = excluded.since, looked_at = excluded.looked_at
  `);
}

/** With the settings goes how far they were looked through. */
export function deletePlaces(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    delete from connector_place where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}

export type KnownSubject = { readonly subject: string; readonly newest: Date };

/** How new what is known of these subjects is. */
export function listNewest(
  context: TenantContext,
  connector: string,
  subjects: readonly string[],
): Promise<KnownSubject[]> {
  return context.read(sql<KnownSubject>`
    select subject, newest
      from connector_subject
     where tenant_id = ${context.tenantId}
       and connector = ${connector}
       and subject = any(${subjects}::text[])
  `);
}
