import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { CHUNK_BYTES_MAX } from "./file.limits.ts";

/** Most are as large as they may be, and few are read at once. */
const CHUNKS_READ_MAX = 256;
/** A chunk of more bytes is not written again to add some. */
const SMALL_CHUNK_BYTES_MAX = 64 * 1024;

type Growth = {
  /** What all files of the tenant took before. */
  readonly tenantBytes: number;
};

/** Undefined if the file has another writer or another size by now. */
export function growFile(
  tx: TenantTx,
  id: string,
  writer: string,
  position: number,
  bytes: number,
): Promise<Growth | undefined> {
  return tx.maybeOne(sql<Growth>`
    update import_file
       set size = size + ${bytes}, touched_at = ${tx.now}
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${writer} and state = 'uploading'
       and size = ${position}
    returning (select coalesce(sum(kept.size), 0)::float8
                 from import_file as kept
                where kept.tenant_id = ${tx.tenantId} and kept.contents = 'kept') as "tenantBytes"
  `);
}

/**
 * Adds to the last chunk if that stays small; false if it does not. Clients may store every few bytes
 * on their own, and a row for each of them would take many times the space, and time to read.
 */
export async function extendChunk(
  tx: TenantTx,
  fileId: string,
  position: number,
  bytes: Buffer,
): Promise<boolean> {
  if (position === 0 || bytes.length >= SMALL_CHUNK_BYTES_MAX) return false;
  const count = await tx.run(sql`
    update import_chunk
       set bytes = bytes || ${bytes}
     where tenant_id = ${tx.tenantId}
       and file_id = ${fileId}
       and position >= ${position + bytes.length - SMALL_CHUNK_BYTES_MAX}
       and position + length(bytes) = ${position}
  `);
  return count > 0;
}

/** The result is not awaited. */
export function insertChunk(tx: TenantTx, fileId: string, position: number, bytes: Buffer): void {
  tx.defer(sql`
    insert into import_chunk (tenant_id, file_id, position, bytes)
    values (${tx.tenantId}, ${fileId}, ${position}, ${bytes})
  `);
}

export type Chunk = { readonly position: number; readonly bytes: Buffer };

/** The chunk with the byte at `position`, and those that begin in the next `bytes`. */
export function listChunks(
  context: TenantContext,
  fileId: string,
  position: number,
  bytes: number,
): Promise<Chunk[]> {
  return context.read(sql<Chunk>`
    select position::float8 as position, bytes
      from import_chunk
     where tenant_id = ${context.tenantId}
       and file_id = ${fileId}
       and position > ${position - CHUNK_BYTES_MAX}
       and position < ${position + bytes}
       and position + length(bytes) > ${position}
     order by position
     limit ${CHUNKS_READ_MAX}
  `);
}

/** Returns the number of deleted chunks. */
export function deleteChunks(tx: TenantTx, fileId: string, count: number): Promise<number> {
  return tx.run(sql`
    delete from import_chunk
     where tenant_id = ${tx.tenantId}
       and file_id = ${fileId}
       and position = any (array(
             select position from import_chunk
              where tenant_id = ${tx.tenantId} and file_id = ${fileId}
              order by position
              limit ${count}))
  `);
}
