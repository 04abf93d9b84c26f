import type { TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export const AUTHORITY_PURPOSE = "apple-authority";

/** No tenant id contains a `|`, so what is sealed for one tenant cannot be opened for another. */
export function authorityPlace(tenantId: string, name: string): string {
  return `${tenantId}|${name}`;
}

/** Without these keys, passes for development must be installed again, and nothing else is lost. */
export const sealedAuthorities: SealedColumn = {
  table: "apple_authority",
  column: "sealed",
  key: ["tenant_id", "name"],
  purpose: AUTHORITY_PURPOSE,
  contextOf: (key) => authorityPlace(String(key.tenant_id), String(key.name)),
  essential: false,
};

export async function findSealed(
  context: TenantContext,
  name: string,
): Promise<Buffer | undefined> {
  const rows = await context.read(sql<{ sealed: Buffer }>`
    select sealed
      from apple_authority
     where tenant_id = ${context.tenantId}
       and name = ${name}
  `);
  return rows[0]?.sealed;
}

/**
 * Returns what is stored now: if another node was first, its value, which the statement waits for.
 * The update changes nothing, but without it the row of another node would not be returned.
 */
export async function insertSealed(tx: TenantTx, name: string, sealed: Buffer): Promise<Buffer> {
  const row = await tx.one(sql<{ sealed: Buffer }>`
    insert into apple_authority (tenant_id, name, sealed, created_at)
    values (${tx.tenantId}, ${name}, ${sealed}, ${tx.now})
    on conflict (tenant_id, name) do update set name = excluded.name
    returning sealed
  `);
  return row.sealed;
}
