import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { EndedTenant } from "./erasure.repository.ts";

/** The tables that hold rows of tenants, from the catalog: those that are added later are included. */
export async function listTenantTables(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ name: string }>`
    select quote_ident(class.relname) as name
      from pg_class class
      join pg_attribute attribute on attribute.attrelid = class.oid
     where class.relnamespace = 'public'::regnamespace
       and class.relkind in ('r', 'p')
       and attribute.attname = 'tenant_id'
       and not attribute.attisdropped
     order by class.relname
  `);
  return rows.map(({ name }) => name);
}

/**
 * Returns the number of deleted rows. A row that is updated meanwhile moves and stays: it is found by the
 * next call.
 */
export function deleteRowsOf(
  tx: TenantTx,
  { id }: EndedTenant,
  table: string,
  limit: number,
): Promise<number> {
  const name = sql.raw(table);
  return tx.run(sql`
    delete from ${name}
     where ctid = any (array(
       select ctid from ${name} where tenant_id = ${id} limit ${limit}))
  `);
}

export async function hasRowsOf(
  tx: TenantTx,
  { id }: EndedTenant,
  tables: readonly string[],
): Promise<boolean> {
  const each = tables.map(
    (table) => sql`exists (select from ${sql.raw(table)} where tenant_id = ${id})`,
  );
  const { isLeft } = await tx.one(
    sql.unnamed(sql<{ isLeft: boolean }>`select ${sql.join(each, " or ")} as "isLeft"`),
  );
  return isLeft;
}
