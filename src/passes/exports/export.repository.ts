import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { passColumns } from "../pass.repository.ts";
import type { Pass, PassStatus } from "../pass.schema.ts";

type Wanted = {
  readonly passType?: string | undefined;
  readonly status?: PassStatus | undefined;
};

/** The next passes after that id, in the order of ids, which is that of creation. */
export function listPassesAfter(
  context: TenantContext,
  { passType, status }: Wanted,
  after: string,
  count: number,
): Promise<Pass[]> {
  const ofType = passType === undefined ? sql`` : sql`and pass_type = ${passType}`;
  const ofStatus = status === undefined ? sql`` : sql`and status = ${status}`;
  return context.read(sql<Pass>`
    select ${passColumns}
      from pass
     where tenant_id = ${context.tenantId} and id > ${after} ${ofType} ${ofStatus}
     order by id
     limit ${count}
  `);
}

/** Those of the passes that have not been erased. */
export async function findExisting(tx: TenantTx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.many(sql<{ id: string }>`
    select id from pass where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
  `);
  return new Set(rows.map(({ id }) => id));
}
