import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/**
 * Until the end of this transaction, none of these passes is erased: what is written about a pass
 * that is there will be erased with it. Costs no message and writes nothing. The statement after it
 * sees whether the pass is still there. Call it before the transaction locks one of the passes or what
 * hangs on them, as the erasure does: whoever takes locks in another order waits in a circle with it.
 */
export function holdPasses(tx: TenantTx, ids: readonly string[]): void {
  tx.defer(sql`
    select pg_advisory_xact_lock_shared(hashtextextended(${tx.tenantId} || ' pass ' || id, 0))
      from unnest(${[...ids].sort()}::text[]) as id
  `);
}

/**
 * Waits for transactions that hold these passes, and keeps others from holding them. The statement
 * after it sees everything that the holders wrote. The result is not awaited.
 */
export function awaitHolders(tx: TenantTx, ids: readonly string[]): void {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${tx.tenantId} || ' pass ' || id, 0))
      from unnest(${[...ids].sort()}::text[]) as id
  `);
}
