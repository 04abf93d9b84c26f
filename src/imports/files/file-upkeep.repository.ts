import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/**
 * The contents of these files go, and of those that were the same: at once, or for a file that is
 * imported when that has ended.
 */
export async function eraseContents(tx: TenantTx, fileIds: readonly string[]): Promise<number> {
  return await tx.run(sql`
    update import_file
       set erases_contents = true,
           contents = case when contents = 'kept' and state in ('processed', 'error')
                           then 'leaving' else contents end
     where tenant_id = ${tx.tenantId}
       and (id = any(${fileIds}::text[]) or duplicate_of = any(${fileIds}::text[]))
  `);
}

/** Contents of imports that ended before. Returns the number of files. */
export function dropOldContents(tx: TenantTx, before: Date): Promise<number> {
  return tx.run(sql`
    update import_file
       set contents = 'leaving'
     where tenant_id = ${tx.tenantId}
       and contents = 'kept'
       and state in ('processed', 'error')
       and finished_at < ${before}
  `);
}

/** Uploads that nobody has continued since. Returns the number of files. */
export function removeStaleUploads(tx: TenantTx, before: Date): Promise<number> {
  return tx.run(sql`
    update import_file
       set state = 'removed', contents = 'leaving', claim = null
     where tenant_id = ${tx.tenantId}
       and contents = 'kept'
       and state = 'uploading'
       and touched_at < ${before}
  `);
}

export async function findLeavingFile(context: TenantContext): Promise<string | undefined> {
  const rows = await context.read(sql<{ id: string }>`
    select id
      from import_file
     where tenant_id = ${context.tenantId} and contents = 'leaving'
     order by id
     limit 1
  `);
  return rows[0]?.id;
}

/** A file that was removed goes with its contents. */
export async function updateToGone(tx: TenantTx, id: string): Promise<void> {
  tx.defer(sql`
    delete from import_file where tenant_id = ${tx.tenantId} and id = ${id} and state = 'removed'
  `);
  await tx.run(sql`
    update import_file
       set contents = 'gone'
     where tenant_id = ${tx.tenantId} and id = ${id} and contents = 'leaving'
  `);
}

export function listTenantsOfFiles(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`import_file`);
}

/** A file whose import ended before, and whose contents are deleted. */
export async function findEndedBefore(
  context: TenantContext,
  before: Date,
): Promise<string | undefined> {
  const rows = await context.read(sql<{ id: string }>`
    select id
      from import_file
     where tenant_id = ${context.tenantId}
       and finished_at < ${before}
       and contents = 'gone'
     order by id
     limit 1
  `);
  return rows[0]?.id;
}

/** Its chunks and outcomes must be deleted. */
export async function deleteFile(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from import_file where tenant_id = ${tx.tenantId} and id = ${id}`);
}
