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

/** Deletes at most `count`; those of all tenants in a transaction that sees all. Returns how many. */
export function deleteOldNonces(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    delete from google_nonce
     where ctid = any (array(
       select ctid
         from google_nonce
        where expires_at < ${before}
        order by expires_at
        limit ${count}
          for update skip locked))
  `);
}
