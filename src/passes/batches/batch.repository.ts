import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Pass } from "../pass.schema.ts";
import { holderOf } from "../pass-identifier.repository.ts";

/** An identifier to look for, among the passes of one type or of all. */
export type Sought = {
  readonly name: string;
  readonly value: string;
  readonly passType: string | undefined;
};

export type FoundPass = {
  /** The place of what was sought. */
  readonly at: number;
  readonly passId: string;
  readonly isUnique: boolean;
};

/** Passes that have each of these identifiers, at most `countMax` for each. */
export async function listHoldersOf(
  tx: TenantTx,
  sought: readonly Sought[],
  countMax: number,
): Promise<FoundPass[]> {
  if (sought.length === 0) return [];
  return await tx.many(sql<FoundPass>`
    select wanted.at::integer as at, known.pass_id as "passId", known.is_unique as "isUnique"
      from unnest(${sought.map(({ name }) => name)}::text[],
                  ${sought.map(({ value }) => value)}::text[],
                  ${sought.map(({ passType }) => passType ?? null)}::text[])
           with ordinality as wanted (name, value, pass_type, at)
           -- Looked up one by one: as long as the database knows nothing of a tenant's new passes, it
           -- would compare each with each. The offset keeps it from seeing through.
           cross join lateral (
             select pass_id, is_unique
               from pass_identifier
              where tenant_id = ${tx.tenantId} and name = wanted.name and value = wanted.value
                and (wanted.pass_type is null or pass_type = wanted.pass_type)
              limit ${countMax}
             offset 0) as known
  `);
}

/** The pass that has each of these identifiers, which are unique in their type: see `holderOf`. */
export async function listUniqueHolders(
  tx: TenantTx,
  sought: readonly (Sought & { readonly passType: string })[],
): Promise<Omit<FoundPass, "isUnique">[]> {
  if (sought.length === 0) return [];
  const [passType, name, value] = [sql`wanted.pass_type`, sql`wanted.name`, sql`wanted.value`];
  return await tx.many(sql<Omit<FoundPass, "isUnique">>`
    select wanted.at::integer as at, known.pass_id as "passId"
      from unnest(${sought.map(({ passType }) => passType)}::text[],
                  ${sought.map(({ name }) => name)}::text[],
                  ${sought.map(({ value }) => value)}::text[])
           with ordinality as wanted (pass_type, name, value, at)
           -- Looked up one by one: see above.
           cross join lateral (
             select ${holderOf(tx, { passType, name, value })} as pass_id
             offset 0) as known
     where known.pass_id is not null
  `);
}

/** The type and the identifiers of passes, without a lock. */
export function listIdentifiers(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Pick<Pass, "id" | "passType" | "identifiers">[]> {
  return tx.many(sql<Pick<Pass, "id" | "passType" | "identifiers">>`
    select id, pass_type as "passType", identifiers
      from pass
     where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
  `);
}
