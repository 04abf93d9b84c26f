import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { WalletSlot } from "#src/templates/language/public.ts";

/** A picture under the name of its address. */
export type NamedImage = {
  readonly name: string;
  /** The SHA-256 of the source, in hexadecimal. */
  readonly sourceHash: string;
  readonly slot: WalletSlot;
};

/** Those that are known already stay as they are: a name follows from the rest. */
export async function insertImages(tx: TenantTx, images: readonly NamedImage[]): Promise<void> {
  await tx.run(sql`
    insert into google_image (tenant_id, name, source_hash, slot, created_at)
    select ${tx.tenantId}, name, decode(source_hash, 'hex'), slot::jsonb, ${tx.now}::timestamptz
      from unnest(${images.map(({ name }) => name)}::text[],
                  ${images.map(({ sourceHash }) => sourceHash)}::text[],
                  ${images.map(({ slot }) => JSON.stringify(slot))}::text[])
           as image (name, source_hash, slot)
    on conflict (tenant_id, name) do nothing
  `);
}

export async function findImageByName(
  context: TenantContext,
  name: string,
): Promise<NamedImage | undefined> {
  const [row] = await context.read(sql<NamedImage>`
    select name, encode(source_hash, 'hex') as "sourceHash", slot
      from google_image
     where tenant_id = ${context.tenantId} and name = ${name}
  `);
  return row;
}
