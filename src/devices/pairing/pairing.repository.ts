import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

export type NewPairing = {
  readonly deviceId: string;
  readonly codeHash: Buffer;
  readonly expiresAt: Date;
};

/**
 * Replaces the code of the device, whose row must be locked. False if another device of any tenant
 * has the same code.
 */
export async function replacePairing(tx: TenantTx, pairing: NewPairing): Promise<boolean> {
  const { deviceId, codeHash, expiresAt } = pairing;
  endPairing(tx, deviceId);
  const count = await tx.run(sql`
    insert into device_pairing (tenant_id, device_id, code_hash, expires_at, created_at, created_by)
    values (${tx.tenantId}, ${deviceId}, ${codeHash}, ${expiresAt}, ${tx.now}, ${tx.origin.actor.id})
    on conflict (code_hash) do nothing
  `);
  return count === 1;
}

export type PairingPlace = { readonly tenantId: string; readonly deviceId: string };

/** Searches the codes of all tenants: the code says which tenant it belongs to. */
export async function findPairing(
  context: SystemContext,
  codeHashes: readonly Buffer[],
): Promise<PairingPlace | undefined> {
  const rows = await context.read(sql<PairingPlace>`
    select tenant_id as "tenantId", device_id as "deviceId"
      from device_pairing
     where code_hash = any (${codeHashes}::bytea[])
       and expires_at > ${context.clock.now()}
  `);
  return rows[0];
}

/** Ends the code of the device, whose row must be locked. Sent with the next statement. */
export function endPairing(tx: TenantTx, deviceId: string): void {
  tx.defer(sql`
    delete from device_pairing where tenant_id = ${tx.tenantId} and device_id = ${deviceId}
  `);
}

/** Takes the code, so that nobody else can. Undefined if somebody already has, or it has expired. */
export function deletePairing(
  tx: TenantTx,
  deviceId: string,
  codeHashes: readonly Buffer[],
): Promise<{ createdBy: string } | undefined> {
  return tx.maybeOne(sql<{ createdBy: string }>`
    delete from device_pairing
     where tenant_id = ${tx.tenantId}
       and device_id = ${deviceId}
       and code_hash = any (${codeHashes}::bytea[])
       and expires_at > ${tx.now}
    returning created_by as "createdBy"
  `);
}
