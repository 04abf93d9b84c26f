import type { SystemContext } from "../context.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * The tenants that have rows in a table, whose index begins with the tenant. Steps from one tenant to the
 * next in that index, however many rows each of them has.
 */
export async function listTenantsIn(context: SystemContext, table: Sql): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    with recursive step as (
      select min(tenant_id) as tenant_id from ${table}
       union all
      select (select min(tenant_id) from ${table} where tenant_id > step.tenant_id)
        from step
       where step.tenant_id is not null
    )
    select tenant_id as "tenantId" from step where tenant_id is not null
  `);
  return rows.map(({ tenantId }) => tenantId);
}
