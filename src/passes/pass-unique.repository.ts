import { isDeepStrictEqual } from "node:util";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** A name of identifiers among the passes of a type. */
export type TypedName = { readonly passType: string; readonly name: string };

/** True if the published template calls none of these names unique, until the end of the transaction. */
function mayShare(tx: TenantTx, names: readonly TypedName[]): Sql<boolean> {
  return sql<boolean>`may_share_identifiers(
    ${tx.tenantId},
    ${names.map(({ passType }) => passType)}::text[],
    ${names.map(({ name }) => name)}::text[])`;
}

export async function mayShareIdentifiers(
  tx: TenantTx,
  names: readonly TypedName[],
): Promise<boolean> {
  const { isShared } = await tx.one(sql<{ isShared: boolean }>`
    select ${mayShare(tx, names)} as "isShared"
  `);
  return isShared;
}

/** Does the same as an assumption: the result is not awaited, and a wrong one fails the transaction. */
export function requireSharedIdentifiers(tx: TenantTx, names: readonly TypedName[]): void {
  tx.defer(sql`select require_guess(${mayShare(tx, names)})`);
}

/**
 * Keeps which names are unique from the end of this transaction on. Waits for transactions that insert
 * identifiers which passes share, and keeps others from doing so until then: what is inserted by the former
 * rules is committed before the new ones are, so every transaction that works by the new ones sees it.
 */
export async function updateUniqueNames(tx: TenantTx, unique: readonly TypedName[]): Promise<void> {
  const known = await tx.many(sql<TypedName>`
    select pass_type as "passType", name from unique_identifier where tenant_id = ${tx.tenantId}
  `);
  const keysOf = (names: readonly TypedName[]) =>
    [...new Set(names.map(({ passType, name }) => `${passType} ${name}`))].sort();
  if (isDeepStrictEqual(keysOf(known), keysOf(unique))) return;
  const wanted = sql`select * from unnest(${unique.map(({ passType }) => passType)}::text[],
                                          ${unique.map(({ name }) => name)}::text[])`;
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${tx.tenantId} || ' unique identifiers', 0))
  `);
  tx.defer(sql`
    delete from unique_identifier
     where tenant_id = ${tx.tenantId} and (pass_type, name) not in (${wanted})
  `);
  await tx.run(sql`
    insert into unique_identifier (tenant_id, pass_type, name)
    select distinct ${tx.tenantId}, pass_type, name from (${wanted}) as wanted (pass_type, name)
        on conflict do nothing
  `);
}
