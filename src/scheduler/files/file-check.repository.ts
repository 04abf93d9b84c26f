import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Place } from "./file.repository.ts";

/** An execution of a tenant whose file was written by a release that left lines of erased subjects. */
export type UncheckedFile = { readonly tenantId: string; readonly id: string };

export const FIRST_FILE: UncheckedFile = { tenantId: "", id: "" };

/** A file that is being written is left out: its turn comes when it is done. */
export function listUncheckedFiles(
  context: SystemContext,
  kind: string,
  after: UncheckedFile,
  count: number,
): Promise<UncheckedFile[]> {
  return context.read(sql<UncheckedFile>`
    select tenant_id as "tenantId", id
      from task_execution
     where has_parts
       and not lines_checked
       and kind = ${kind}
       and status <> 'running'
       and (tenant_id, id) > (${after.tenantId}, ${after.id} collate "C")
     order by task_execution.tenant_id, task_execution.id
     limit ${count}
  `);
}

export type LockedPart = Place & { readonly keys: readonly string[] };

/** Locks the next parts of a file in the order in which erasures lock them, until the commit. */
export function lockPartsAfter(
  tx: TenantTx,
  executionId: string,
  after: number,
  count: number,
): Promise<LockedPart[]> {
  return tx.many(sql<LockedPart>`
    select part.execution_id as "executionId", part.position, part.keys
      from task_execution as execution
      join task_file_part as part
        on part.tenant_id = execution.tenant_id and part.execution_id = execution.id
     where execution.tenant_id = ${tx.tenantId}
       and execution.id = ${executionId}
       and part.position > ${after}
     order by part.position
     limit ${count}
       for no key update of execution
       for update of part
  `);
}

export async function updateToChecked(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`
    update task_execution set lines_checked = true where tenant_id = ${tx.tenantId} and id = ${id}
  `);
}
