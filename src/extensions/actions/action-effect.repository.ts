import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Sale } from "../kit/earning.ts";

/** What was done for a thing at the vendor. */
export type Effect = {
  readonly key: string;
  readonly ofKey: string | null;
  readonly passId: string | null;
  readonly privilegeId: string | null;
  /** Signed. Of a reversal, also what could not be moved any more: what was spent stays spent. */
  readonly value: string | null;
  /** The money that it was done for, as far as it is known. */
  readonly sale?: Partial<Sale> | undefined;
};

/** Returns false if it was done before. Waits for a transaction that is doing it. */
export async function insertEffect(
  tx: TenantTx,
  connector: string,
  { key, ofKey, passId, privilegeId, value, sale = {} }: Effect,
): Promise<boolean> {
  const { money = null, currency = null, perUnit = null, rounding = null } = sale;
  const count = await tx.run(sql`
    insert into connector_effect (tenant_id, connector, key, of_key, pass_id, privilege_id, value,
                                  money, currency, per_unit, rounding, created_at)
    values (${tx.tenantId}, ${connector}, ${key}, ${ofKey}, ${passId}, ${privilegeId}, ${value},
            ${money}, ${currency}, ${perUnit}, ${rounding}, ${tx.now})
        on conflict do nothing
  `);
  return count > 0;
}

/** Those of these keys for which something was done. */
export async function listEffectKeys(
  tx: TenantTx,
  connector: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await tx.many(sql<{ key: string }>`
    select key
      from connector_effect
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = any(${keys}::text[])
  `);
  return rows.map(({ key }) => key);
}

export function updateReceiptReference(
  tx: TenantTx,
  connector: string,
  key: string,
  reference: string,
): void {
  tx.defer(sql`
    update connector_effect
       set receipt_reference = ${reference}
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = ${key}
  `);
}

/** A receipt that was kept for a thing at the vendor. */
export type KeptReceipt = { readonly reference: string | null; readonly currency: string | null };

export function findKeptReceipt(
  tx: TenantTx,
  connector: string,
  key: string,
): Promise<KeptReceipt | undefined> {
  return tx.maybeOne(sql<KeptReceipt>`
    select receipt_reference as reference, currency
      from connector_effect
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = ${key}
  `);
}

/** Adds what was known only afterwards. */
export function updateMovement(
  tx: TenantTx,
  connector: string,
  key: string,
  movementId: string,
): void {
  tx.defer(sql`
    update connector_effect
       set movement_id = ${movementId}
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = ${key}
  `);
}

export type Reversible = Omit<Effect, "sale"> & {
  readonly sale: Sale | undefined;
  readonly currency: string | null;
  /** What reversals have taken back until now, signed. */
  readonly reversed: string;
  /** The money that went back until now. */
  readonly refundedMoney: string;
};

type Reversals = Pick<Reversible, "reversed" | "refundedMoney">;
type Stored = Omit<Reversible, "sale" | keyof Reversals> & {
  readonly money: string | null;
  readonly perUnit: string | null;
  readonly rounding: Sale["rounding"] | null;
};

/** Locks it, so that two reversals never take back the same. */
export async function findEffectForUpdate(
  tx: TenantTx,
  connector: string,
  key: string,
): Promise<Reversible | undefined> {
  const stored = await tx.maybeOne(sql<Stored>`
    select key, of_key as "ofKey", pass_id as "passId", privilege_id as "privilegeId",
           value::text as value, money::text as money, currency, per_unit::text as "perUnit",
           rounding
      from connector_effect
     where tenant_id = ${tx.tenantId} and connector = ${connector} and key = ${key}
       for update
  `);
  if (stored === undefined) return undefined;
  const reversals = await tx.one(sql<Reversals>`
    select coalesce(sum(value), 0)::text as reversed,
           coalesce(sum(money), 0)::text as "refundedMoney"
      from connector_effect
     where tenant_id = ${tx.tenantId} and connector = ${connector} and of_key = ${key}
  `);
  const { money, perUnit, rounding, ...effect } = stored;
  const isKept = money !== null && perUnit !== null && rounding !== null;
  return { ...effect, ...reversals, sale: isKept ? { money, perUnit, rounding } : undefined };
}
