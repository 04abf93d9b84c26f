import type { TestApi } from "./start-api.ts";

export type TenantTable = { readonly name: string; readonly column: string };

/** Every table that holds tenants' rows, as the database itself knows them. */
export async function listTenantTables({ sql }: Pick<TestApi, "sql">): Promise<TenantTable[]> {
  const rows = await sql(`
    select table_name as name, column_name as column
      from information_schema.columns
     where table_schema = 'public'
       and (column_name = 'tenant_id' or (table_name = 'tenant' and column_name = 'id'))
     order by table_name`);
  return rows as TenantTable[];
}

/** Written every minute by the service itself, whoever asks for what. */
const OF_THE_SERVICE: ReadonlySet<string> = new Set(["number_by_hour", "number_cursor"]);

/** Number and hash of a tenant's rows in each table. */
export async function snapshotRows(
  api: Pick<TestApi, "sql">,
  tenantId: string,
): Promise<Record<string, string>> {
  const snapshot: Record<string, string> = {};
  for (const { name, column } of await listTenantTables(api)) {
    if (OF_THE_SERVICE.has(name)) continue;
    const [row] = await api.sql(
      `select count(*) || ' ' || coalesce(md5(string_agg(r::text, ' ' order by r::text)), '') as hash
         from ${name} r where ${column} = $1`,
      [tenantId],
    );
    snapshot[name] = String(row?.hash);
  }
  return snapshot;
}
