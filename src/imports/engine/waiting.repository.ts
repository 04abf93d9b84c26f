import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { OPEN_FILES_MAX } from "../files/file.limits.ts";

/** Files that wait for their import or are imported. */
export async function listOpenImports(context: TenantContext): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    select id
      from import_file
     where tenant_id = ${context.tenantId} and state in ('pending', 'running')
     order by id
     limit ${OPEN_FILES_MAX}
  `);
  return rows.map(({ id }) => id);
}

export type ImportCounts = {
  readonly files: number;
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** Files that could not be read to their end. */
  readonly errors: number;
};

/** What became of these files, and how many of them have not ended. */
export async function countImports(
  context: TenantContext,
  ids: readonly string[],
): Promise<ImportCounts & { readonly open: number }> {
  const [row] = await context.read(sql<ImportCounts & { readonly open: number }>`
    select count(*)::integer as files, coalesce(sum(rows), 0)::integer as rows,
           coalesce(sum(created), 0)::integer as created,
           coalesce(sum(updated), 0)::integer as updated,
           coalesce(sum(unchanged), 0)::integer as unchanged,
           coalesce(sum(failed), 0)::integer as failed,
           (count(*) filter (where state = 'error'))::integer as errors,
           (count(*) filter (where state in ('pending', 'running')))::integer as open
      from import_file
     where tenant_id = ${context.tenantId} and id = any(${ids}::text[]) and state <> 'removed'
  `);
  if (row === undefined) throw new Error("A statement that must give a row gave none.");
  return row;
}
