import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { ProblemError } from "../../errors.ts";
import { problem } from "../problem.ts";

const MIB = 1024 * 1024;

/** Limits of bytes on disk: for all callers together, and for one tenant. */
const SPOOL_BYTES_MAX = 1024 * MIB;
const TENANT_BYTES_MAX = SPOOL_BYTES_MAX / 2;

const RETRY_AFTER_SECONDS = 10;

export function noRoom(): ProblemError {
  return problem(
    "unavailable",
    "There is no room for so many large bodies at once. Try again shortly.",
    { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
  );
}

/** Keeps large bodies on disk until they are complete and it is their turn, to save memory. */
export class Spool {
  readonly #folder: string;
  readonly #byTenant = new Map<string, number>();
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(tenantId: string): Promise<SpooledBody> {
    const path = join(this.#folder, `upload-${randomUUID()}`);
    const file = await open(path, "wx+", 0o600);
    // A file without a name disappears with the process, however the process ends.
    await unlink(path);
    return new SpooledBody(file, {
      take: (bytes) => this.#take(tenantId, bytes),
      giveBack: (bytes) => this.#giveBack(tenantId, bytes),
    });
  }

  /** Counts bytes that have arrived, not the announced length, which anyone can set. */
  #take(tenantId: string, bytes: number): void {
    const own = (this.#byTenant.get(tenantId) ?? 0) + bytes;
    if (own > TENANT_BYTES_MAX || this.#bytes + bytes > SPOOL_BYTES_MAX) throw noRoom();
    this.#byTenant.set(tenantId, own);
    this.#bytes += bytes;
  }

  #giveBack(tenantId: string, bytes: number): void {
    const left = (this.#byTenant.get(tenantId) ?? 0) - bytes;
    if (left > 0) this.#byTenant.set(tenantId, left);
    else this.#byTenant.delete(tenantId);
    this.#bytes -= bytes;
  }
}

type Share = { take(bytes: number): void; giveBack(bytes: number): void };

export class SpooledBody {
  readonly #file: FileHandle;
  readonly #share: Share;
  #sizeBytes = 0;
  #isClosed = false;

  constructor(file: FileHandle, share: Share) {
    this.#file = file;
    this.#share = share;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async append(chunk: Buffer): Promise<void> {
    this.#share.take(chunk.length);
    const at = this.#sizeBytes;
    this.#sizeBytes += chunk.length;
    for (let written = 0; written < chunk.length; ) {
      const rest = chunk.length - written;
      const { bytesWritten } = await this.#file.write(chunk, written, rest, at + written);
      written += bytesWritten;
    }
  }

  async read(): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(this.#sizeBytes);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) throw new Error("A body on disk is shorter than it was.");
      at += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#share.giveBack(this.#sizeBytes);
    await this.#file.close();
  }
}
