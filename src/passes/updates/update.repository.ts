import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ListQuery } from "#kernel/http/lists/list-spec.ts";
import { listConditions } from "#kernel/http/lists/list-sql.ts";
import { passColumns } from "../pass.repository.ts";
import type { Pass } from "../pass.schema.ts";

type Identifiers = Readonly<Record<string, string>>;
export type Selection = Sql<{ id: string }>;
export type Found = { readonly position: number; readonly id: string };

export function selectByIds(tx: TenantTx, ids: readonly string[]): Selection {
  return sql<{ id: string }>`
    select pass.id from pass where pass.tenant_id = ${tx.tenantId} and pass.id = any(${ids}::text[])
  `;
}

export function selectByIdentifiers(tx: TenantTx, sets: readonly Identifiers[]): Selection {
  return sql<{ id: string }>`select distinct id from (${matchSets(tx, sets)}) as matched`;
}

export function selectByFilter(tx: TenantTx, list: ListQuery): Selection {
  return sql<{ id: string }>`
    select pass.id from pass
     where pass.tenant_id = ${tx.tenantId} and ${listConditions(list)}
  `;
}

/** For each set, the passes that have all its identifiers. */
function matchSets(tx: TenantTx, sets: readonly Identifiers[]): Sql<Found> {
  const wanted = sets.flatMap((set, position) =>
    Object.entries(set).map(([name, value], _at, all) => ({
      position,
      needed: all.length,
      name,
      value,
    })),
  );
  return sql<Found>`
    select wanted.position, known.pass_id as id
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as wanted (
             position integer, needed integer, name text, value text)
           -- Looked up one by one: as long as the database knows nothing of a tenant's new passes, it
           -- would compare each with each. The offset keeps it from seeing through.
           cross join lateral (
             select pass_id
               from pass_identifier
              where tenant_id = ${tx.tenantId} and name = wanted.name and value = wanted.value
             offset 0) as known
     group by wanted.position, wanted.needed, known.pass_id
    having count(*) = wanted.needed
  `;
}

export async function listSelected(
  tx: TenantTx,
  selection: Selection,
  count: number,
): Promise<string[]> {
  const rows = await tx.many(
    sql.unnamed(sql<{ id: string }>`
      select id from (${selection}) as selected order by id limit ${count}
    `),
  );
  return rows.map(({ id }) => id);
}

export async function listMatches(
  tx: TenantTx,
  sets: readonly Identifiers[],
  count: number,
): Promise<Found[]> {
  if (sets.length === 0) return [];
  return await tx.many(sql<Found>`
    select position, id from (${matchSets(tx, sets)}) as matched order by position, id limit ${count}
  `);
}

/** The positions of the sets that at least one pass has. */
export async function listMatchedSets(
  tx: TenantTx,
  sets: readonly Identifiers[],
): Promise<Set<number>> {
  const rows = await tx.many(sql<{ position: number }>`
    select distinct position from (${matchSets(tx, sets)}) as matched
  `);
  return new Set(rows.map(({ position }) => position));
}

/**
 * The ids without a pass, in the given order. They are compared here and not in the database: while
 * it has no statistics about a tenant's new passes, it would compare each id with each pass.
 */
export async function listMissing(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.many(selectByIds(tx, ids));
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

/**
 * Locks passes in the order of their ids, as all code that changes many passes does; returns their
 * versions.
 */
export async function lockPasses(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.many(sql<Pick<Pass, "id" | "version">>`
    select id, version from pass
     where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
     order by id
       for update
  `);
  return new Map(rows.map(({ id, version }) => [id, version]));
}

export function findPasses(context: TenantContext, ids: readonly string[]): Promise<Pass[]> {
  return context.read(sql<Pass>`
    select ${passColumns}
      from pass
     where tenant_id = ${context.tenantId} and id = any(${ids}::text[])
  `);
}

/** The pass as this transaction sees it, without a lock. */
export function findPassNow(tx: TenantTx, id: string): Promise<Pass | undefined> {
  return tx.maybeOne(sql<Pass>`
    select ${passColumns} from pass where tenant_id = ${tx.tenantId} and id = ${id}
  `);
}

/**
 * False while another process changes passes of this tenant: two processes would only wait for each
 * other.
 */
export async function tryUpdateLock(tx: TenantTx): Promise<boolean> {
  const { isMine } = await tx.one(sql<{ isMine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`pass.update ${tx.tenantId}`}, 0)) as "isMine"
  `);
  return isMine;
}
