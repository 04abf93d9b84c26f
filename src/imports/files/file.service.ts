import { randomUUID } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import {
  importContentsGone,
  importEnded,
  importFileTaken,
  importNameTaken,
  importNoRoom,
  importNotFound,
  importRunning,
  importTooManyFiles,
} from "./file.errors.ts";
import { dropImportContents } from "./file.jobs.ts";
import { FILE_ID_PREFIX, OPEN_FILES_MAX, SETTLING_MS, TENANT_BYTES_MAX } from "./file.limits.ts";
import { isTemporaryName, nameProblem } from "./file.name.ts";
import * as files from "./file.repository.ts";
import { type FileSource, type ImportFile, isOpen, versionOf } from "./file.schema.ts";
import { IMPORT_HINT } from "./file.signal.ts";
import { type Chunk, listChunks } from "./file-chunk.repository.ts";

/** The files that a folder of the file drop shows at most. */
const LISTED_MAX = 1_000;
/** At once, whatever the size of the file. */
export const READ_BYTES = 1024 * 1024;

/** A file that is being written, by the one who has its `writer`. */
export type OpenFile = {
  readonly file: ImportFile;
  readonly writer: string;
  /** Of what is stored already, if it is known. */
  readonly contentHash?: Buffer | null;
};

export type FileBegin = {
  readonly name: string;
  readonly source: FileSource;
  readonly createdBy: string;
  readonly isDryRun?: boolean;
  readonly isForced?: boolean;
  /** False refuses a name that a file of the inbox has. */
  readonly replaces?: boolean;
};

/**
 * Begins an empty file. In the inbox of the file drop it replaces one of the same name, unless that
 * one is being imported; files that come in another way have no name to share.
 */
export async function beginFile(context: TenantContext, begin: FileBegin): Promise<OpenFile> {
  requireName(begin.name);
  return await context.transaction(async (tx) => {
    files.lockInbox(tx);
    const { isDryRun = false, isForced = false, replaces = true } = begin;
    if (begin.source === "sftp") await (replaces ? clear : requireFree)(tx, begin.name);
    await requirePlace(tx);
    const writer = randomUUID();
    const id = newId(FILE_ID_PREFIX, tx.now.getTime());
    const file = await files.insertFile(tx, { ...begin, id, writer, isDryRun, isForced });
    return { file, writer };
  });
}

/** Removes the file of this name from the inbox, so that another one can have it. */
async function clear(tx: TenantTx, name: string): Promise<void> {
  const known = await files.findInboxForUpdate(tx, name);
  if (known !== undefined) await removeLocked(tx, known);
}

async function requireFree(tx: TenantTx, name: string): Promise<void> {
  const known = await files.findInboxForUpdate(tx, name);
  if (known !== undefined) throw importNameTaken({ fileName: name });
}

async function removeLocked(tx: TenantTx, file: ImportFile): Promise<void> {
  if (file.state === "running") throw importRunning({ fileName: file.name });
  await files.updateToRemoved(tx, file.id);
  tx.enqueue(dropImportContents, {}, { singletonKey: tx.tenantId });
}

async function requirePlace(tx: TenantTx): Promise<void> {
  const room = await files.countRoom(tx);
  if (room.openFiles >= OPEN_FILES_MAX) throw importTooManyFiles({ filesMax: OPEN_FILES_MAX });
  if (room.bytes >= TENANT_BYTES_MAX) throw importNoRoom({ bytesMax: TENANT_BYTES_MAX });
}

function requireName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw validationProblem({ fileName: [problem] });
}

/** Goes on with a file of the inbox at its end, taking it from another writer if there is one. */
export function resumeFile(context: TenantContext, name: string): Promise<OpenFile | undefined> {
  return context.transaction(async (tx) => {
    const known = await files.findInboxForUpdate(tx, name);
    if (known === undefined) return undefined;
    if (known.state === "running") throw importRunning({ fileName: name });
    const writer = randomUUID();
    const file = await files.updateToUploading(tx, known.id, writer);
    return file && { file, writer, contentHash: known.isComplete ? known.contentHash : null };
  });
}

export type FileFinish = {
  readonly contentHash: Buffer;
  /** How long to wait for a client that opens the file again. */
  readonly settlingMs?: number;
};

/**
 * All bytes are there: the file waits for its turn, or in the file drop for a name that is not
 * temporary. The name counts that it has now: it may be another one than when it was opened.
 */
export async function finishFile(
  context: TenantContext,
  { file, writer }: OpenFile,
  { contentHash, settlingMs = SETTLING_MS }: FileFinish,
): Promise<ImportFile> {
  return await context.transaction(async (tx) => {
    const known = await files.findWrittenForUpdate(tx, file.id, writer);
    const isReady = known?.source !== "sftp" || !isTemporaryName(known.name);
    const readyAt = isReady ? new Date(tx.now.getTime() + settlingMs) : null;
    const done = await files.updateToComplete(tx, file.id, writer, { contentHash, readyAt });
    if (done === undefined) throw importFileTaken({ fileName: file.name });
    tx.audit({
      target: `import:${file.id}`,
      after: { fileName: done.name, size: done.size, source: done.source, dryRun: done.isDryRun },
    });
    if (isReady) tx.hint(IMPORT_HINT, tx.tenantId);
    return done;
  });
}

/** Removes an upload that will not be finished; nothing happens if it was finished already. */
export async function abandonFile(
  context: TenantContext,
  { file, writer }: OpenFile,
): Promise<void> {
  await context.transaction(async (tx) => {
    const known = await files.findWrittenForUpdate(tx, file.id, writer);
    if (known !== undefined) await removeLocked(tx, known);
  });
}

/** A complete file that loses its temporary name is imported. False if there is no such file. */
export async function renameFile(
  context: TenantContext,
  from: string,
  to: string,
  { replaces = false }: { readonly replaces?: boolean } = {},
): Promise<boolean> {
  requireName(to);
  return await context.transaction(async (tx) => {
    files.lockInbox(tx);
    const file = await files.findInboxForUpdate(tx, from);
    if (file === undefined) return false;
    if (file.state === "running") throw importRunning({ fileName: from });
    if (from === to) return true;
    await (replaces ? clear : requireFree)(tx, to);
    const readyAt = isTemporaryName(to) ? null : new Date(tx.now.getTime() + SETTLING_MS);
    await files.updateName(tx, file.id, to, readyAt);
    tx.audit({ target: `import:${file.id}`, before: { fileName: from }, after: { fileName: to } });
    tx.hint(IMPORT_HINT, tx.tenantId);
    return true;
  });
}

/** Removes a file from the inbox. False if there is no such file. */
export function removeFile(context: TenantContext, name: string): Promise<boolean> {
  return context.transaction(async (tx) => {
    files.lockInbox(tx);
    const file = await files.findInboxForUpdate(tx, name);
    if (file === undefined) return false;
    await removeLocked(tx, file);
    tx.audit({ target: `import:${file.id}`, before: { fileName: name, size: file.size } });
    return true;
  });
}

/** The newest file of each name, in the order of names; the newest of all if there are too many. */
export function listFolder(context: TenantContext, folder: files.Folder): Promise<ImportFile[]> {
  return files.listFolder(context, folder, LISTED_MAX);
}

export function findFile(
  context: TenantContext,
  folder: files.Folder,
  name: string,
): Promise<ImportFile | undefined> {
  return files.findInFolder(context, folder, name);
}

/**
 * The bytes of a file from a position on, read while they are used. Throws if the contents are
 * deleted, also in the middle.
 */
export async function* readFileChunks(
  context: TenantContext,
  file: Pick<ImportFile, "id" | "name" | "size">,
  from = 0,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < file.size; ) {
    for (const { position, bytes } of await readAround(context, file, at, READ_BYTES)) {
      const wanted = bytes.subarray(at - position);
      at += wanted.length;
      yield wanted;
    }
  }
}

/**
 * The chunk with the byte at `position`, and those that begin in the next `bytes`. Throws if the
 * contents are deleted. `position` must be in the file.
 */
export async function readAround(
  context: TenantContext,
  { id, name, size }: Pick<ImportFile, "id" | "name" | "size">,
  position: number,
  bytes: number,
): Promise<Chunk[]> {
  const chunks = await listChunks(context, id, position, bytes);
  let end = position;
  for (const chunk of chunks) {
    if (chunk.position > end) throw importContentsGone({ fileName: name });
    end = chunk.position + chunk.bytes.length;
  }
  if (end === position) throw importContentsGone({ fileName: name });
  // The file may have grown since it was looked at.
  return chunks
    .filter((chunk) => chunk.position < size)
    .map((chunk) => ({ ...chunk, bytes: chunk.bytes.subarray(0, size - chunk.position) }));
}

export async function getImport(context: TenantContext, importId: string): Promise<ImportFile> {
  const file = await files.findFileById(context, importId);
  if (file === undefined) throw importNotFound({ importId });
  return file;
}

/** Removes a file that waits; an import that is running stops after the rows under way. */
export async function cancelImport(
  context: TenantContext,
  importId: string,
): Promise<ImportFile | undefined> {
  return await context.transaction(async (tx) => {
    const file = await files.findFileForUpdate(tx, importId);
    if (file === undefined) throw importNotFound({ importId });
    context.requireMatch(versionOf(file));
    if (!isOpen(file)) throw importEnded({ importId });
    const { name: fileName, state, rows } = file;
    tx.audit({ target: `import:${importId}`, before: { fileName, state, rows } });
    if (state !== "running") {
      await removeLocked(tx, file);
      return undefined;
    }
    await files.updateToCancelled(tx, importId);
    return file;
  });
}
