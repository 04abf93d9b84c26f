import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** False if the callback came before. */
export async function insertNonce(tx: TenantTx, nonce: string, expiresAt: Date): Promise<boolean> {
  const count = await tx.run(sql`
    insert into google_nonce (tenant_id, nonce, expires_at)
    values (${tx.tenantId}, ${nonce}, ${expiresAt})
    on conflict (tenant_id, nonce) do nothing
  `);
  return count === 1;
}

/** A transaction that sees all tenants deletes those of all tenants. */
export function deleteOldNonces(tx: TenantTx, before: Date): Promise<number> {
  return tx.run(sql`delete from google_nonce where expires_at < ${before}`);
}
