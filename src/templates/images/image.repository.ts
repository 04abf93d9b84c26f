import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { FittedImage } from "./image.fit.ts";

export type FittedImageKey = {
  readonly sourceHash: Buffer;
  readonly slot: string;
  readonly scale: number;
};
export type StoredImage = FittedImage & { readonly usedAt: Date };

export async function findFittedImage(
  context: TenantContext,
  { sourceHash, slot, scale }: FittedImageKey,
): Promise<StoredImage | undefined> {
  const rows = await context.read(sql<StoredImage>`
    select content as bytes, width, height, used_at as "usedAt"
      from fitted_image
     where tenant_id = ${context.tenantId}
       and source_hash = ${sourceHash}
       and slot = ${slot}
       and scale = ${scale}
  `);
  return rows[0];
}

/**
 * If two processes make the same image, both have the same bytes. So a conflict only updates the
 * time of use.
 */
export async function upsertFittedImage(
  tx: TenantTx,
  { sourceHash, slot, scale }: FittedImageKey,
  { width, height, bytes }: FittedImage,
): Promise<void> {
  await tx.run(sql`
    insert into fitted_image
      (tenant_id, source_hash, slot, scale, width, height, content, used_at)
    values (${tx.tenantId}, ${sourceHash}, ${slot}, ${scale}, ${width}, ${height}, ${bytes},
            ${tx.now})
    on conflict (tenant_id, source_hash, slot, scale) do update
       set used_at = excluded.used_at
  `);
}

export async function updateUse(
  tx: TenantTx,
  { sourceHash, slot, scale }: FittedImageKey,
): Promise<void> {
  await tx.run(sql`
    update fitted_image
       set used_at = ${tx.now}
     where tenant_id = ${tx.tenantId}
       and source_hash = ${sourceHash}
       and slot = ${slot}
       and scale = ${scale}
  `);
}

/**
 * Returns the number of deleted images, at most `limit`. A transaction that sees all tenants
 * deletes images of all tenants.
 */
export function deleteUnused(tx: TenantTx, usedBefore: Date, limit: number): Promise<number> {
  return tx.run(sql`
    delete from fitted_image
     where ctid = any (array(
       select ctid
         from fitted_image
        where used_at < ${usedBefore}
        order by used_at
        limit ${limit}
          for update skip locked))
  `);
}
