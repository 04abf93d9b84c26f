import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Identifiers } from "#src/customers/public.ts";

export async function hasIdentifiers(tx: TenantTx): Promise<boolean> {
  const row = await tx.maybeOne(sql<{ found: number }>`
    select 1 as found from pass_identifier where tenant_id = ${tx.tenantId} limit 1
  `);
  return row !== undefined;
}

/** The position of a walk over all identifiers of a tenant. */
export type IdentifierPosition = {
  readonly name: string;
  readonly value: string;
  readonly passId: string;
};

/** Which names are unique in which pass type; identifiers of other types are not changed. */
export type UniqueNames = {
  readonly passTypes: readonly string[];
  readonly unique: readonly { readonly passType: string; readonly name: string }[];
};

export type MarkedBatch = {
  /** The last identifier of the batch. */
  readonly last: IdentifierPosition;
  readonly changed: number;
  /** The number of identifiers that cannot be unique because another pass has them too. */
  readonly duplicates: number;
};

/**
 * True if this is the published version. Other transactions that ask wait until the end of this one: what is marked by
 * the version is marked before they begin, or not at all.
 */
export async function isPublished(tx: TenantTx, version: number): Promise<boolean> {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${tx.tenantId} || ' unique marks', 0))
  `);
  const { found } = await tx.one(sql<{ found: number }>`
    select version as found from tenant where id = ${tx.tenantId}
  `);
  return found === version;
}

/**
 * Marks the next identifiers as unique or not unique. If several passes have the same identifier,
 * the first pass gets the mark: no new pass can take it, and the other passes keep it. Undefined at
 * the end.
 */
export async function markUnique(
  tx: TenantTx,
  after: IdentifierPosition,
  { passTypes, unique }: UniqueNames,
  count: number,
): Promise<MarkedBatch | undefined> {
  const row = await tx.maybeOne(sql<IdentifierPosition & { changed: number; duplicates: number }>`
    with batch as materialized (
      select name, value, pass_id, is_unique,
             (pass_type, name) in (
               select * from unnest(${unique.map(({ passType }) => passType)}::text[],
                                    ${unique.map(({ name }) => name)}::text[])) as wanted,
             pass_type = any(${passTypes}::text[]) as is_ruled,
             exists (select from pass_identifier as other
                      where other.tenant_id = ${tx.tenantId}
                        and other.name = known.name
                        and other.value = known.value
                        and other.pass_type = known.pass_type
                        and other.pass_id <> known.pass_id
                        and (other.is_unique or other.pass_id < known.pass_id)) as is_taken
        from pass_identifier as known
       where tenant_id = ${tx.tenantId}
         and (name, value, pass_id) > (${after.name}, ${after.value}, ${after.passId})
       order by name, value, pass_id
       limit ${count}
    ), changed as (
      update pass_identifier as known
         set is_unique = batch.wanted
        from batch
       where known.tenant_id = ${tx.tenantId}
         and known.name = batch.name
         and known.value = batch.value
         and known.pass_id = batch.pass_id
         and batch.is_ruled
         and batch.wanted <> batch.is_unique
         and not (batch.wanted and batch.is_taken)
      returning 1
    )
    select name, value, pass_id as "passId",
           (select count(*)::integer from changed) as changed,
           (select count(*)::integer
              from batch
             where is_ruled and wanted and not is_unique and is_taken) as duplicates
      from batch
     order by batch.name desc, batch.value desc, batch.pass_id desc
     limit 1
  `);
  if (row === undefined) return undefined;
  const { changed, duplicates, ...last } = row;
  return { last, changed, duplicates };
}

export type Holder = { readonly name: string; readonly passId: string };

/**
 * The id of the pass that has an identifier which is unique in its type; null if none has it. Of several
 * that shared it before it was unique, the first: the one that has the mark, or will get it. Two steps,
 * each led by an index to one entry: what thousands of passes share is never sorted.
 */
export function holderOf(
  tx: TenantTx,
  sought: { readonly passType: Sql; readonly name: Sql; readonly value: Sql },
  except = sql``,
): Sql<string | null> {
  const known = sql`
    select pass_id
      from pass_identifier
     where tenant_id = ${tx.tenantId} and pass_type = ${sought.passType}
       and name = ${sought.name} and value = ${sought.value} ${except}`;
  return sql<string | null>`coalesce((${known} and is_unique limit 1),
                                     (${known} order by pass_id limit 1))`;
}

/** Finds the pass that has one of these identifiers, which are unique in the type: see `holderOf`. */
export async function findHolder(
  tx: TenantTx,
  passType: string,
  identifiers: Identifiers,
  except = "",
): Promise<Holder | undefined> {
  const sought = { passType: sql`${passType}`, name: sql`sought.name`, value: sql`sought.value` };
  return await tx.maybeOne(sql<Holder>`
    select sought.name, known.pass_id as "passId"
      from unnest(${Object.keys(identifiers)}::text[], ${Object.values(identifiers)}::text[])
           as sought (name, value)
           cross join lateral (
             select ${holderOf(tx, sought, sql`and pass_id <> ${except}`)} as pass_id
             offset 0) as known
     where known.pass_id is not null
     order by sought.name
     limit 1
  `);
}
