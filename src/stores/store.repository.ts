import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { presentStore, type StoredStore, type StoreResource } from "./store.schema.ts";

const storeColumns: Sql<StoredStore> = sql<StoredStore>`
  id, name, address, location, text
`;

export const STORE_LIST: ListSpec = {
  fields: {
    id: { sql: "id", type: "id", nullable: false },
    name: { sql: "name", type: "text", nullable: false },
    address: { sql: "address", type: "text", sortable: false },
    text: { sql: "text", type: "text", sortable: false },
    "location.latitude": { sql: "(location ->> 'latitude')::numeric", type: "number" },
    "location.longitude": { sql: "(location ->> 'longitude')::numeric", type: "number" },
  },
  id: "id",
  paging: "always",
};

export function listStores(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: storeColumns,
      from: sql`store`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: STORE_LIST,
      present: presentStore,
    },
    input,
  );
}

export async function findStore(
  context: TenantContext,
  id: string,
): Promise<StoredStore | undefined> {
  const rows = await context.read(sql<StoredStore>`
    select ${storeColumns} from store where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

/** The same for a transaction. */
export function findStoreWithin(tx: TenantTx, id: string): Promise<StoredStore | undefined> {
  return tx.maybeOne(sql<StoredStore>`
    select ${storeColumns} from store where tenant_id = ${tx.tenantId} and id = ${id}
  `);
}

/** Not paged, because the file limits the number of stores. */
export function listAllStores(tx: TenantTx): Promise<StoredStore[]> {
  return tx.many(sql<StoredStore>`
    select ${storeColumns} from store where tenant_id = ${tx.tenantId} order by id
  `);
}

export async function upsertStores(tx: TenantTx, stores: readonly StoreResource[]): Promise<void> {
  await tx.run(sql`
    insert into store (tenant_id, id, name, address, location, text)
    select ${tx.tenantId}, id, name, address, location, text
      from jsonb_to_recordset(${JSON.stringify(stores)}::jsonb) as store (
             id text, name text, address text, location jsonb, text text)
        on conflict (tenant_id, id) do update
       set name = excluded.name,
           address = excluded.address,
           location = excluded.location,
           text = excluded.text
  `);
}

export async function deleteStores(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    delete from store where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
  `);
}
