import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { Identifiers } from "#src/customers/public.ts";
import { passColumns } from "../pass.repository.ts";
import type { Pass, PassView } from "../pass.schema.ts";
import { PASS_LIST } from "./pass-list.repository.ts";

/** The ids of passes that have at least one of these identifiers. */
function idsOf(tenantId: string, identifiers: Identifiers): Sql<{ id: string }> {
  return sql<{ id: string }>`
    select pass_id as id
      from pass_identifier
     where tenant_id = ${tenantId}
       and (name, value) in (
             select * from unnest(${Object.keys(identifiers)}::text[],
                                  ${Object.values(identifiers)}::text[]))
  `;
}

export function listPassesOf(
  context: TenantContext,
  identifiers: Identifiers,
  input: ListInput,
  present: (pass: Pass) => PassView,
): Promise<Answer> {
  const { tenantId } = context;
  return listPage(
    context,
    {
      columns: passColumns,
      from: sql`pass`,
      where: sql`pass.tenant_id = ${tenantId} and pass.id in (${idsOf(tenantId, identifiers)})`,
      spec: PASS_LIST,
      present,
    },
    input,
  );
}

export async function listPassIdsOf(
  tx: TenantTx,
  identifiers: Identifiers,
  count: number,
): Promise<string[]> {
  const rows = await tx.many(sql<{ id: string }>`
    select distinct id from (${idsOf(tx.tenantId, identifiers)}) as pass limit ${count}
  `);
  return rows.map(({ id }) => id);
}
