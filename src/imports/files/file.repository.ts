import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  FILE_SOURCES,
  FILE_STATES,
  type FileSource,
  type FileState,
  type ImportFile,
  presentImport,
} from "./file.schema.ts";

export const fileColumns: Sql<ImportFile> = sql<ImportFile>`
  id, name, source, state, is_dry_run as "isDryRun", is_forced as "isForced",
  is_complete as "isComplete", is_cancelled as "isCancelled", size::float8 as size,
  content_hash as "contentHash", contents, received_at as "receivedAt", ready_at as "readyAt",
  started_at as "startedAt", touched_at as "touchedAt", finished_at as "finishedAt",
  rows, created, updated, unchanged, failed, bytes_done::float8 as "bytesDone",
  identifier_names as "identifierNames", problem, duplicate_of as "duplicateOf",
  created_by as "createdBy"
`;

export const IMPORT_LIST: ListSpec = {
  fields: {
    importId: { sql: "id", type: "id", nullable: false },
    fileName: { sql: "name", type: "text", nullable: false, sortable: false },
    source: { sql: "source", type: "text", values: FILE_SOURCES, nullable: false, sortable: false },
    status: { sql: "state", type: "text", values: FILE_STATES, nullable: false, sortable: false },
    dryRun: { sql: "is_dry_run", type: "boolean", nullable: false, sortable: false },
    createdBy: { sql: "created_by", type: "text", nullable: false, sortable: false },
    receivedAt: { sql: "received_at", type: "timestamp", nullable: false, sortable: false },
    finishedAt: { sql: "finished_at", type: "timestamp", sortable: false },
    rows: { sql: "rows", type: "number", nullable: false, sortable: false },
    failed: { sql: "failed", type: "number", nullable: false, sortable: false },
  },
  id: "importId",
  paging: "always",
  defaultSort: [{ field: "importId", direction: "DESC" }],
};

export function listFiles(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: fileColumns,
      from: sql`import_file`,
      where: sql`tenant_id = ${context.tenantId} and state <> 'removed'`,
      spec: IMPORT_LIST,
      present: presentImport,
    },
    input,
  );
}

export async function findFileById(
  context: TenantContext,
  id: string,
): Promise<ImportFile | undefined> {
  const rows = await context.read(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${context.tenantId} and id = ${id} and state <> 'removed'
  `);
  return rows[0];
}

/** The states of files of the file drop in one of its folders. */
const FOLDER_STATES = {
  inbox: ["uploading", "pending", "running"],
  processed: ["processed"],
  error: ["error"],
} as const satisfies Record<string, readonly FileState[]>;
export type Folder = keyof typeof FOLDER_STATES;

/** The newest file of each name, in the order of names; if there are more, the newest `count`. */
export function listFolder(
  context: TenantContext,
  folder: Folder,
  count: number,
): Promise<ImportFile[]> {
  return context.read(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${context.tenantId}
       and id in (
             select newest.id
               from (select distinct on (name) id
                       from import_file
                      where tenant_id = ${context.tenantId}
                        and source = 'sftp'
                        and state = any(${FOLDER_STATES[folder]}::text[])
                      order by name, id desc) as newest
              order by newest.id desc
              limit ${count})
     order by name
  `);
}

export async function findInFolder(
  context: TenantContext,
  folder: Folder,
  name: string,
): Promise<ImportFile | undefined> {
  const rows = await context.read(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${context.tenantId}
       and source = 'sftp'
       and name = ${name}
       and state = any(${FOLDER_STATES[folder]}::text[])
     order by id desc
     limit 1
  `);
  return rows[0];
}

/** Until the end of the transaction, nobody else adds, renames or removes files of the inbox. */
export function lockInbox(tx: TenantTx): void {
  tx.defer(sql`
    select pg_advisory_xact_lock(hashtextextended(${`${tx.tenantId} import inbox`}, 0))
  `);
}

/** Locks a file of the inbox by its name. */
export function findInboxForUpdate(tx: TenantTx, name: string): Promise<ImportFile | undefined> {
  return tx.maybeOne(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${tx.tenantId}
       and source = 'sftp'
       and name = ${name}
       and state in ('uploading', 'pending', 'running')
       for update
  `);
}

export function findFileForUpdate(tx: TenantTx, id: string): Promise<ImportFile | undefined> {
  return tx.maybeOne(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${tx.tenantId} and id = ${id} and state <> 'removed'
       for update
  `);
}

/** Undefined if the file is finished, or has another writer by now. */
export function findWrittenForUpdate(
  tx: TenantTx,
  id: string,
  writer: string,
): Promise<ImportFile | undefined> {
  return tx.maybeOne(sql<ImportFile>`
    select ${fileColumns}
      from import_file
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${writer} and state = 'uploading'
       for update
  `);
}

type Room = { readonly openFiles: number; readonly bytes: number };

/** What the tenant takes already. */
export function countRoom(tx: TenantTx): Promise<Room> {
  return tx.one(sql<Room>`
    select (select count(*)::integer
              from import_file
             where tenant_id = ${tx.tenantId} and contents = 'kept'
               and state in ('uploading', 'pending', 'running')) as "openFiles",
           (select coalesce(sum(size), 0)::float8
              from import_file
             where tenant_id = ${tx.tenantId} and contents = 'kept') as bytes
  `);
}

export type NewFile = {
  readonly id: string;
  readonly name: string;
  readonly source: FileSource;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly createdBy: string;
  readonly writer: string;
};

export function insertFile(tx: TenantTx, file: NewFile): Promise<ImportFile> {
  return tx.one(sql<ImportFile>`
    insert into import_file (tenant_id, id, name, source, state, is_dry_run, is_forced, received_at,
                             touched_at, created_by, claim)
    values (${tx.tenantId}, ${file.id}, ${file.name}, ${file.source}, 'uploading', ${file.isDryRun},
            ${file.isForced}, ${tx.now}, ${tx.now}, ${file.createdBy}, ${file.writer})
    returning ${fileColumns}
  `);
}

/** The same file goes on to be written, by another writer. */
export function updateToUploading(
  tx: TenantTx,
  id: string,
  writer: string,
): Promise<ImportFile | undefined> {
  return tx.maybeOne(sql<ImportFile>`
    update import_file
       set state = 'uploading', is_complete = false, content_hash = null, ready_at = null,
           claim = ${writer}, touched_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and id = ${id} and state in ('uploading', 'pending')
    returning ${fileColumns}
  `);
}

export type Completion = {
  readonly contentHash: Buffer;
  /** Null if the file waits for another name. */
  readonly readyAt: Date | null;
};

/** Undefined if the file has another writer by now. */
export function updateToComplete(
  tx: TenantTx,
  id: string,
  writer: string,
  { contentHash, readyAt }: Completion,
): Promise<ImportFile | undefined> {
  return tx.maybeOne(sql<ImportFile>`
    update import_file
       set state = case when ${readyAt}::timestamptz is null then 'uploading' else 'pending' end,
           is_complete = true, content_hash = ${contentHash}, ready_at = ${readyAt}, claim = null,
           touched_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${writer} and state = 'uploading'
    returning ${fileColumns}
  `);
}

/** A complete file becomes ready with a name that is not temporary, and waits again with one. */
export async function updateName(
  tx: TenantTx,
  id: string,
  name: string,
  readyAt: Date | null,
): Promise<void> {
  await tx.run(sql`
    update import_file
       set name = ${name},
           state = case when is_complete and ${readyAt}::timestamptz is not null
                        then 'pending' else 'uploading' end,
           ready_at = case when is_complete then ${readyAt}::timestamptz end,
           touched_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and id = ${id} and state in ('uploading', 'pending')
  `);
}

/** Its contents and then the row itself are deleted by `import.purge`. */
export async function updateToRemoved(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`
    update import_file
       set state = 'removed', contents = 'leaving', claim = null, touched_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and id = ${id} and state in ('uploading', 'pending')
  `);
}

export async function updateToCancelled(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`
    update import_file
       set is_cancelled = true
     where tenant_id = ${tx.tenantId} and id = ${id} and state = 'running'
  `);
}
