import type { JWK } from "jose";
import type { TenantContext } from "#kernel/context.ts";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export const KEY_PURPOSE = "gate-key";

/** No tenant id contains a `|`, so what is sealed for one tenant cannot be opened for another. */
export function keyPlace(tenantId: string, id: string): string {
  return `${tenantId}|${id}`;
}

/** Without these keys, scanners fetch their lists again, and nothing else is lost. */
export const sealedGateKeys: SealedColumn = {
  table: "gate_key",
  column: "sealed",
  key: ["tenant_id", "id"],
  purpose: KEY_PURPOSE,
  contextOf: (key) => keyPlace(String(key.tenant_id), String(key.id)),
  essential: false,
};

export type GateKey = { readonly id: string; readonly sealed: Buffer };

/** The newest key, if it was made after `since`. */
export async function findGateKey(
  context: TenantContext,
  since: Date,
): Promise<GateKey | undefined> {
  const rows = await context.read(newest(context.tenantId, since));
  return rows[0];
}

/**
 * Two nodes that both find no key come here one after the other: the second then finds the key of
 * the first, because its statement begins after the lock was taken.
 */
export function lockAndFindGateKey(tx: TenantTx, since: Date): Promise<GateKey | undefined> {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${`gate-key ${tx.tenantId}`}, 0))
  `);
  return tx.maybeOne(newest(tx.tenantId, since));
}

function newest(tenantId: string, since: Date): Sql<GateKey> {
  return sql<GateKey>`
    select id, sealed
      from gate_key
     where tenant_id = ${tenantId}
       and created_at > ${since}
     order by created_at desc, id
     limit 1
  `;
}

export async function listPublicKeys(context: TenantContext, since: Date): Promise<JWK[]> {
  const rows = await context.read(sql<{ publicKey: JWK }>`
    select public_key as "publicKey"
      from gate_key
     where tenant_id = ${context.tenantId}
       and created_at > ${since}
     order by created_at desc, id
  `);
  return rows.map(({ publicKey }) => publicKey);
}

export function insertGateKey(tx: TenantTx, key: GateKey, publicKey: JWK): void {
  tx.defer(sql`
    insert into gate_key (tenant_id, id, public_key, sealed, created_at)
    values (${tx.tenantId}, ${key.id}, ${JSON.stringify(publicKey)}::jsonb, ${key.sealed}, ${tx.now})
  `);
}

export function deleteOldGateKeys(tx: TenantTx, until: Date): void {
  tx.defer(sql`
    delete from gate_key where tenant_id = ${tx.tenantId} and created_at <= ${until}
  `);
}
