import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Keeps others from changing the slots of the tenant until the commit, also those that are empty. */
export async function lockSlots(tx: TenantTx): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${`wallet.slots ${tx.tenantId}`}, 0))
  `);
}

/** Returns those of the marks that were not told of this certificate before. */
export async function insertNotices(
  tx: TenantTx,
  fingerprint: string,
  marks: readonly number[],
): Promise<number[]> {
  const rows = await tx.many(sql<{ daysBefore: number }>`
    insert into wallet_credential_notice (tenant_id, fingerprint, days_before, told_at)
    select ${tx.tenantId}, ${fingerprint}, mark, ${tx.now}
      from unnest(${marks}::integer[]) as mark
        on conflict do nothing
    returning days_before as "daysBefore"
  `);
  return rows.map(({ daysBefore }) => daysBefore);
}
