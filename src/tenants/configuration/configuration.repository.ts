import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { FileSet } from "#src/files/public.ts";
import {
  type ConfigurationVersion,
  DRAFT_VERSION,
  type FileChange,
  presentVersion,
} from "./configuration.schema.ts";

export type HashedFiles = {
  readonly files: FileSet;
  /** The SHA-256 of each file, by path. */
  readonly hashes: ReadonlyMap<string, Buffer>;
};

export type FileEntry = { readonly path: string; readonly hash: Buffer; readonly size: number };

function entriesOf(tenantId: string, version: number): Sql<FileEntry> {
  return sql<FileEntry>`
    select path, hash, size
      from configuration_file
     where tenant_id = ${tenantId}
       and version = ${version}
     order by path collate "C"
  `;
}

export function listEntries(context: TenantContext, version: number): Promise<FileEntry[]> {
  return context.read(entriesOf(context.tenantId, version));
}

/**
 * The files that the tenant works on: those of the draft if there is one, else of the version in
 * force. One statement, because the draft may be published between two.
 */
export function listWorkingEntries(context: TenantContext): Promise<FileEntry[]> {
  const { tenantId } = context;
  return context.read(sql<FileEntry>`
    select path, hash, size
      from configuration_file
     where tenant_id = ${tenantId}
       and version = case
             when exists (select from configuration_draft where tenant_id = ${tenantId})
             then ${DRAFT_VERSION}
             else (select version from tenant where id = ${tenantId})
           end
     order by path collate "C"
  `);
}

/** Sums the bytes of a version. Without a version: of the version in force and of the draft. */
export async function sumSizes(context: TenantContext, version?: number): Promise<number> {
  const versions =
    version === undefined
      ? sql`(${DRAFT_VERSION}, (select version from tenant where id = ${context.tenantId}))`
      : sql`(${version})`;
  const rows = await context.read(sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::float8 as bytes
      from configuration_file
     where tenant_id = ${context.tenantId}
       and version in ${versions}
  `);
  return rows[0]?.bytes ?? 0;
}

/** The database driver decodes a value in one step: some milliseconds for so many bytes. */
const PORTION_BYTES = 1024 * 1024;

export async function findContentOf(
  runtime: Runtime,
  tenantId: string,
  hash: Buffer,
): Promise<Buffer | undefined> {
  const portions: Buffer[] = [];
  let [read, size] = [0, 1];
  while (read < size) {
    const [row] = await runtime.db.read(
      tenantId,
      sql<{ portion: Buffer; size: number }>`
        select substring(content from ${read + 1}::int for ${PORTION_BYTES}::int) as portion,
               length(content) as size
          from file_content
         where tenant_id = ${tenantId} and hash = ${hash}
      `,
    );
    if (row === undefined) return undefined;
    portions.push(row.portion);
    read += row.portion.length;
    size = row.size;
  }
  return portions.length === 1 ? portions[0] : Buffer.concat(portions);
}

/**
 * Loads all files of one version, each content with its own statements. A set may have 100 MB, and
 * one statement for all of it would run into the statement timeout.
 */
export async function loadFiles(
  context: TenantContext,
  version: number,
): Promise<Map<string, Buffer>> {
  return await loadContents(context, await listEntries(context, version));
}

async function loadContents(
  context: TenantContext,
  entries: readonly Pick<FileEntry, "path" | "hash">[],
): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const known = new Map<string, Buffer>();
  for (const { path, hash } of entries) {
    const key = hash.toString("base64");
    const content =
      known.get(key) ?? (await findContentOf(context.runtime, context.tenantId, hash));
    if (content === undefined) throw new Error("A file of a version has no content.");
    known.set(key, content);
    files.set(path, content);
  }
  return files;
}

/**
 * Finds a file of this version if it differs from the version before, otherwise undefined. The
 * content is null if this version removed the file.
 */
export function findChangedFile(
  tx: TenantTx,
  version: number,
  path: string,
): Promise<{ readonly content: Buffer | null } | undefined> {
  const hashIn = (wanted: number) => sql`
    (select hash from configuration_file
      where tenant_id = ${tx.tenantId} and version = ${wanted} and path = ${path})
  `;
  return tx.maybeOne(sql<{ content: Buffer | null }>`
    select content.content
      from (select ${hashIn(version - 1)} as old_hash, ${hashIn(version)} as hash) as file
      left join file_content as content
        on content.tenant_id = ${tx.tenantId} and content.hash = file.hash
     where file.hash is distinct from file.old_hash
  `);
}

/** Inserts content by content: a set may have 100 MB, and most of it is usually stored already. */
export async function insertFiles(
  tx: TenantTx,
  version: number,
  { files, hashes }: HashedFiles,
): Promise<void> {
  const entries = [...files].map(([path, content]) => {
    return { path, content, hash: hashes.get(path) as Buffer };
  });
  const known = await findKnownHashes(
    tx,
    entries.map(({ hash }) => hash),
  );
  for (const { hash, content } of entries) {
    const key = hash.toString("base64");
    if (known.has(key)) continue;
    known.add(key);
    await tx.run(sql`
      insert into file_content (tenant_id, hash, content)
      values (${tx.tenantId}, ${hash}, ${content})
      on conflict (tenant_id, hash) do nothing
    `);
  }
  await tx.run(sql`
    insert into configuration_file (tenant_id, version, path, hash, size)
    select ${tx.tenantId}, ${version}, path, hash, size
      from unnest(${entries.map(({ path }) => path)}::text[],
                  ${entries.map(({ hash }) => hash)}::bytea[],
                  ${entries.map(({ content }) => content.length)}::int[]) as file (path, hash, size)
  `);
}

async function findKnownHashes(tx: TenantTx, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await tx.many(sql<{ hash: Buffer }>`
    select hash from file_content where tenant_id = ${tx.tenantId} and hash = any(${hashes}::bytea[])
       for key share
  `);
  return new Set(rows.map(({ hash }) => hash.toString("base64")));
}

export async function deleteFiles(tx: TenantTx, version: number): Promise<void> {
  await tx.run(sql`
    delete from configuration_file where tenant_id = ${tx.tenantId} and version = ${version}
  `);
}

export type NewVersion = {
  readonly version: number;
  readonly author: string;
  readonly message: string | null;
  readonly changes: readonly FileChange[];
};

export async function insertVersion(tx: TenantTx, added: NewVersion): Promise<void> {
  await tx.run(sql`
    insert into configuration_version (tenant_id, version, published_at, author, message, changes)
    values (${tx.tenantId}, ${added.version}, ${tx.now}, ${added.author}, ${added.message},
            ${JSON.stringify(added.changes)})
  `);
}

export async function hasVersion(context: TenantContext, version: number): Promise<boolean> {
  const rows = await context.read(sql`
    select from configuration_version
     where tenant_id = ${context.tenantId} and version = ${version}
  `);
  return rows.length === 1;
}

export const HISTORY_LIST: ListSpec = {
  fields: {
    version: { sql: "version", type: "number", nullable: false },
    publishedAt: { sql: "published_at", type: "timestamp", nullable: false },
    author: { sql: "author", type: "text", nullable: false },
    message: { sql: "message", type: "text", sortable: false },
  },
  id: "version",
  paging: "always",
  defaultSort: [{ field: "version", direction: "DESC" }],
};

export function listVersions(context: TenantContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: sql<ConfigurationVersion>`
        version, published_at as "publishedAt", author, message, changes
      `,
      from: sql`configuration_version`,
      where: sql`tenant_id = ${context.tenantId}`,
      spec: HISTORY_LIST,
      present: presentVersion,
    },
    input,
  );
}

export type Draft = {
  readonly baseVersion: number;
  /** Increased by every change of the draft. */
  readonly revision: number;
  readonly author: string;
  readonly message: string | null;
  readonly updatedAt: Date;
};

const draftColumns = sql<Draft>`
  base_version as "baseVersion", revision, author, message, updated_at as "updatedAt"
`;

export async function findDraft(context: TenantContext): Promise<Draft | undefined> {
  const rows = await context.read(sql<Draft>`
    select ${draftColumns} from configuration_draft where tenant_id = ${context.tenantId}
  `);
  return rows[0];
}

/**
 * Names the contents of a draft. The revision alone does not: a draft that was discarded and begun again
 * starts at one.
 */
export const draftTag = ({ baseVersion, revision, updatedAt }: Draft): string =>
  `draft.${baseVersion}.${revision}.${updatedAt.getTime()}`;

export type LoadedDraft = { readonly draft: Draft; readonly files: Map<string, Buffer> };

/**
 * Reads the draft and its list of files in one statement, because someone may publish or replace
 * the draft between two statements.
 */
export async function loadDraft(context: TenantContext): Promise<LoadedDraft | undefined> {
  const rows = await context.read(sql<Draft & { path: string | null; hash: Buffer | null }>`
    select ${draftColumns}, path, hash
      from configuration_draft draft
      left join configuration_file file
        on file.tenant_id = draft.tenant_id and file.version = ${DRAFT_VERSION}
     where draft.tenant_id = ${context.tenantId}
     order by path collate "C"
  `);
  const [draft] = rows;
  if (draft === undefined) return undefined;
  const entries = rows.flatMap(({ path, hash }) =>
    path === null || hash === null ? [] : [{ path, hash }],
  );
  return { draft, files: await loadContents(context, entries) };
}

export function findDraftForUpdate(tx: TenantTx): Promise<Draft | undefined> {
  return tx.maybeOne(sql<Draft>`
    select ${draftColumns} from configuration_draft where tenant_id = ${tx.tenantId} for update
  `);
}

export async function upsertDraft(tx: TenantTx, draft: Draft): Promise<void> {
  await tx.run(sql`
    insert into configuration_draft (tenant_id, base_version, revision, author, message, updated_at)
    values (${tx.tenantId}, ${draft.baseVersion}, ${draft.revision}, ${draft.author},
            ${draft.message}, ${draft.updatedAt})
    on conflict (tenant_id) do update
       set base_version = excluded.base_version, revision = excluded.revision,
           author = excluded.author,
           message = excluded.message, updated_at = excluded.updated_at
  `);
}

/** Returns the number of deleted drafts: one or none. */
export async function deleteDraft(tx: TenantTx): Promise<number> {
  await deleteFiles(tx, DRAFT_VERSION);
  return await tx.run(sql`delete from configuration_draft where tenant_id = ${tx.tenantId}`);
}

const isUnused = sql`
  not exists (
    select from configuration_file file
     where file.tenant_id = content.tenant_id and file.hash = content.hash)
`;

/**
 * Deletes one batch of contents that no version and no draft uses. Returns their number. Locks them
 * first and then looks again: a publication may have begun to use a content before it was locked,
 * and the statement that locks does not see that.
 */
export async function deleteOrphans(tx: TenantTx, batchSize: number): Promise<number> {
  const locked = await tx.many(sql<{ tenantId: string; hash: Buffer }>`
    select content.tenant_id as "tenantId", content.hash
      from file_content content
     where ${isUnused}
     limit ${batchSize}
       for update skip locked
  `);
  return await tx.run(sql`
    delete from file_content content
     using unnest(${locked.map(({ tenantId }) => tenantId)}::text[],
                  ${locked.map(({ hash }) => hash)}::bytea[]) as locked (tenant_id, hash)
     where content.tenant_id = locked.tenant_id
       and content.hash = locked.hash
       and ${isUnused}
  `);
}
