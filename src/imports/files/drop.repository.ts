import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { fileColumns } from "./file.repository.ts";
import type { ImportFile } from "./file.schema.ts";

export type DropSummary = {
  readonly uploading: number;
  readonly pending: number;
  readonly processed: number;
  readonly error: number;
  /** The last change of any file; null if there never was one. */
  readonly lastActivityAt: Date | null;
};

/**
 * A complete file whose name begins with a dot waits for another name. One that ends in `.part` or
 * `.tmp` says by its name that it is not the whole file yet.
 */
const waitsHidden = sql`
  (state = 'uploading' and is_complete and left(name, 1) = '.' and name !~* '\\.(part|tmp)$')
`;

/**
 * How many files of the file drop there are in each state. An import that runs counts as pending, and
 * so does a complete file that waits under a hidden name.
 */
export async function summarizeDrop(context: TenantContext): Promise<DropSummary> {
  const [summary] = await context.read(sql<DropSummary>`
    select count(*) filter (where state = 'uploading' and not ${waitsHidden})::integer as uploading,
           count(*) filter (where state in ('pending', 'running') or ${waitsHidden})::integer as pending,
           count(*) filter (where state = 'processed')::integer as processed,
           count(*) filter (where state = 'error')::integer as error,
           max(greatest(received_at, touched_at, finished_at)) as "lastActivityAt"
      from import_file
     where tenant_id = ${context.tenantId} and source = 'sftp' and state <> 'removed'
  `);
  return summary ?? { uploading: 0, pending: 0, processed: 0, error: 0, lastActivityAt: null };
}

export const DROP_STATUSES = ["pending", "processed", "error"] as const;

export const DROP_LIST: ListSpec = {
  fields: {
    fileName: { sql: "name", type: "id", nullable: false },
    status: {
      sql: "(case when state in ('processed', 'error') then state else 'pending' end)",
      type: "text",
      values: DROP_STATUSES,
      nullable: false,
    },
    size: { sql: "size", type: "number", nullable: false },
    receivedAt: { sql: '"receivedAt"', type: "timestamp", nullable: false },
    finishedAt: { sql: '"finishedAt"', type: "timestamp" },
    rows: { sql: "rows", type: "number", nullable: false },
    failed: { sql: "failed", type: "number", nullable: false },
  },
  id: "fileName",
  paging: "always",
  defaultSort: [{ field: "receivedAt", direction: "DESC" }],
};

/** The newest file of each name that was received completely. */
const newestFiles = (tenantId: string) => sql`
  (select distinct on (name) ${fileColumns}
     from import_file
    where tenant_id = ${tenantId}
      and source = 'sftp'
      and (state in ('pending', 'running', 'processed', 'error') or ${waitsHidden})
    order by name, id desc) as file
`;

export function listDropFiles(
  context: TenantContext,
  input: ListInput,
  present: (file: ImportFile) => unknown,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: sql<ImportFile>`file.*`,
      from: newestFiles(context.tenantId),
      where: sql`true`,
      spec: DROP_LIST,
      present,
    },
    input,
  );
}

/** The newest file of this name, which is a key and never a path. */
export async function findDropFile(
  context: TenantContext,
  name: string,
): Promise<ImportFile | undefined> {
  const rows = await context.read(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${context.tenantId}
       and source = 'sftp'
       and name = ${name}
       and (state in ('pending', 'running', 'processed', 'error') or ${waitsHidden})
     order by id desc
     limit 1
  `);
  return rows[0];
}
