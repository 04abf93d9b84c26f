import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

type Row = { readonly origin: string };

/** The origin for which the secrets of a connector were stored. */
export async function findOrigin(
  context: TenantContext,
  connector: string,
): Promise<string | undefined> {
  const rows = await context.read(sql<Row>`
    select origin
      from connector_origin
     where tenant_id = ${context.tenantId} and connector = ${connector}
  `);
  return rows[0]?.origin;
}

export async function findOriginForUpdate(
  tx: TenantTx,
  connector: string,
): Promise<string | undefined> {
  const row = await tx.maybeOne(sql<Row>`
    select origin
      from connector_origin
     where tenant_id = ${tx.tenantId} and connector = ${connector}
       for update
  `);
  return row?.origin;
}

/** Of two that come at the same time, the first one stays. Returns the one that holds. */
export async function insertOrigin(
  tx: TenantTx,
  connector: string,
  origin: string,
): Promise<string> {
  await tx.run(sql`
    insert into connector_origin (tenant_id, connector, origin, bound_at)
    values (${tx.tenantId}, ${connector}, ${origin}, ${tx.now})
        on conflict do nothing
  `);
  return (await findOriginForUpdate(tx, connector)) ?? origin;
}

export function upsertOrigin(tx: TenantTx, connector: string, origin: string): void {
  tx.defer(sql`
    insert into connector_origin (tenant_id, connector, origin, bound_at)
    values (${tx.tenantId}, ${connector}, ${origin}, ${tx.now})
        on conflict (tenant_id, connector) do update
       set origin = excluded.origin, bound_at = excluded.bound_at
  `);
}

export function deleteOrigin(tx: TenantTx, connector: string): void {
  tx.defer(sql`
    delete from connector_origin where tenant_id = ${tx.tenantId} and connector = ${connector}
  `);
}
