import { createHash, type Hash } from "node:crypto";
import { ByteCollector } from "#kernel/byte-collector.ts";
import type { TenantContext } from "#kernel/context.ts";
import { FairGate } from "#kernel/fair-gate.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import {
  importFileTaken,
  importFileTooLarge,
  importNoRoom,
  importWrongPosition,
} from "./file.errors.ts";
import { CHUNK_BYTES_MAX, FILE_BYTES_MAX, TENANT_BYTES_MAX } from "./file.limits.ts";
import { findWrittenForUpdate } from "./file.repository.ts";
import type { ImportFile } from "./file.schema.ts";
import {
  abandonFile,
  type FileFinish,
  finishFile,
  type OpenFile,
  readFileChunks,
} from "./file.service.ts";
import { extendChunk, growFile, insertChunk } from "./file-chunk.repository.ts";

/** A tenant has so many sessions of the file drop at most; each of them closes one file at a time. */
const WAITING_PER_TENANT_MAX = 80;

const rehashingIn = perRuntime(
  () => new FairGate({ atOnceMax: 2, waitingPerGroupMax: WAITING_PER_TENANT_MAX }),
);

/** Adds bytes at the end of a file; they are there when the promise resolves. */
export async function appendToFile(
  context: TenantContext,
  { file, writer }: OpenFile,
  position: number,
  bytes: Buffer,
): Promise<void> {
  if (position + bytes.length > FILE_BYTES_MAX) {
    throw importFileTooLarge({ sizeBytesMax: FILE_BYTES_MAX });
  }
  await context.transaction(async (tx) => {
    const grown = await growFile(tx, file.id, writer, position, bytes.length);
    if (grown === undefined) {
      const known = await findWrittenForUpdate(tx, file.id, writer);
      if (known === undefined) throw importFileTaken({ fileName: file.name });
      throw importWrongPosition({ fileName: file.name, size: known.size });
    }
    if (grown.tenantBytes + bytes.length > TENANT_BYTES_MAX) {
      throw importNoRoom({ bytesMax: TENANT_BYTES_MAX });
    }
    if (await extendChunk(tx, file.id, position, bytes)) return;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX) {
      insertChunk(tx, file.id, position + at, bytes.subarray(at, at + CHUNK_BYTES_MAX));
    }
  });
}

/**
 * Writes a file from where it ends: collects what comes in small pieces, and hashes it on the way.
 * Calls must follow one after the other.
 */
export class FileWriter {
  readonly #context: TenantContext;
  readonly #open: OpenFile;
  readonly #collector = new ByteCollector();
  /** Undefined for a file that was begun before: its first bytes did not come this way. */
  readonly #hash: Hash | undefined;
  #stored: number;
  #digest: Buffer | undefined;

  constructor(context: TenantContext, open: OpenFile) {
    this.#context = context;
    this.#open = open;
    this.#stored = open.file.size;
    this.#hash = open.file.size === 0 ? createHash("sha256") : undefined;
  }

  /** Bytes that came, stored or not yet. */
  get size(): number {
    return this.#stored + this.#collector.sizeBytes;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#collector.add(bytes);
    if (this.#collector.sizeBytes >= CHUNK_BYTES_MAX) await this.flush();
  }

  /** Stores what was collected, so that an upload that breaks off can go on from there. */
  async flush(): Promise<void> {
    if (this.#collector.sizeBytes === 0) return;
    const bytes = this.#collector.take();
    await appendToFile(this.#context, this.#open, this.#stored, bytes);
    this.#hash?.update(bytes);
    this.#stored += bytes.length;
  }

  /** The SHA-256 of the whole file; nothing can be written after it. */
  async contentHash(): Promise<Buffer> {
    await this.flush();
    this.#digest ??= this.#hash?.digest() ?? (await this.#hashOfStored());
    return this.#digest;
  }

  /** May be called again, where the transaction around it runs again. */
  async finish(finish: Omit<FileFinish, "contentHash"> = {}): Promise<ImportFile> {
    const contentHash = await this.contentHash();
    return await finishFile(this.#context, this.#open, { ...finish, contentHash });
  }

  async abandon(): Promise<void> {
    await abandonFile(this.#context, this.#open);
  }

  /** Reads all bytes again, which may be gigabytes: of few files at once, and not for nothing. */
  async #hashOfStored(): Promise<Buffer> {
    const { file, contentHash } = this.#open;
    if (contentHash && file.size === this.#stored) return contentHash;
    const { runtime, tenantId } = this.#context;
    return await rehashingIn(runtime).run(tenantId, async () => {
      const hash = createHash("sha256");
      const stored = { id: file.id, name: file.name, size: this.#stored };
      for await (const bytes of readFileChunks(this.#context, stored)) hash.update(bytes);
      return hash.digest();
    });
  }
}
