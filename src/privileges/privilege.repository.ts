import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Privilege } from "./privilege.schema.ts";

const privilegeColumns = sql<Privilege>`
  id, name, type, value::text, minimum::text, maximum::text, unit, status,
  valid_from as "validFrom", valid_until as "validUntil", metadata, created_at as "createdAt",
  updated_at as "updatedAt", version
`;

export type NewPrivilege = Pick<Privilege, "id" | "name" | "type" | "unit" | "status"> & {
  readonly value: number | null;
  readonly minimum: number;
  readonly maximum: number | null;
};

export function insertPrivileges(
  tx: TenantTx,
  passId: string,
  privileges: readonly NewPrivilege[],
): void {
  tx.defer(sql`
    insert into privilege (tenant_id, pass_id, id, name, type, value, minimum, maximum, unit, status,
                           created_at, updated_at)
    select ${tx.tenantId}, ${passId}, id, name, type, value, minimum, maximum, unit, status,
           ${tx.now}, ${tx.now}
      from jsonb_to_recordset(${JSON.stringify(privileges)}::jsonb) as privilege (
             id text, name text, type text, value numeric, minimum numeric, maximum numeric,
             unit text, status text)
  `);
}

export async function deletePrivileges(tx: TenantTx, passId: string): Promise<void> {
  await tx.run(sql`
    delete from privilege where tenant_id = ${tx.tenantId} and pass_id = ${passId}
  `);
}

export function listPrivileges(context: TenantContext, passId: string): Promise<Privilege[]> {
  return context.read(sql<Privilege>`
    select ${privilegeColumns}
      from privilege
     where tenant_id = ${context.tenantId} and pass_id = ${passId}
     order by id
  `);
}
