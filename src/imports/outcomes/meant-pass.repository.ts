import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Those of these passes that are there, without a lock. */
export async function listThere(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.many(sql<{ id: string }>`
    select id from pass where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
  `);
  return rows.map(({ id }) => id);
}

/** An identifier that a row names, of passes of one type or of all. */
export type Named = {
  readonly row: number;
  readonly passType: string | undefined;
  readonly name: string;
  readonly value: string;
};

export type Holder = {
  readonly row: number;
  readonly passId: string;
  /** Whether one of the identifiers is unique to this pass in its type. */
  readonly isOwner: boolean;
  /** How many of the identifiers of the row the pass has. */
  readonly count: number;
};

/** An identifier of more passes, such as that of an event on its tickets, tells of none of them. */
const HOLDERS_MAX = 50;

/** The passes that have an identifier that their row names, without a lock. */
export async function listHoldersByRow(tx: TenantTx, named: readonly Named[]): Promise<Holder[]> {
  if (named.length === 0) return [];
  return await tx.many(sql<Holder>`
    select sought.row, known.pass_id as "passId", bool_or(known.is_unique) as "isOwner",
           count(*)::integer as count
      from unnest(${named.map(({ row }) => row)}::integer[],
                  ${named.map(({ passType }) => passType ?? null)}::text[],
                  ${named.map(({ name }) => name)}::text[],
                  ${named.map(({ value }) => value)}::text[])
           as sought (row, pass_type, name, value)
           -- Looked up one by one in the index, whatever the database knows of a new tenant's passes.
           cross join lateral (
             select pass_id, is_unique
               from pass_identifier
              where tenant_id = ${tx.tenantId} and name = sought.name and value = sought.value
                and (sought.pass_type is null or pass_type = sought.pass_type)
              limit ${HOLDERS_MAX}
             offset 0) as known
     group by sought.row, known.pass_id
  `);
}
