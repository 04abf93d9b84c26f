import type { TenantContext } from "#kernel/context.ts";
import { FileWriter, type ImportFile, type OpenFile } from "#src/imports/public.ts";
import { failed } from "../protocol/refusal.ts";

/** What a client may send of its files before the bytes in front of it have come. */
const EARLY_BYTES_MAX = 4 * 1024 * 1024;
const EARLY_PIECES_MAX = 1_024;

/** How many such bytes a session holds, in all its files together. */
export type EarlyBytes = { held: number };

/**
 * A file that a client is writing. Small pieces are collected, so a piece that was answered may still
 * be in memory; a file counts as received when its closing was answered.
 */
export class Upload {
  readonly #file: ImportFile;
  readonly #writer: FileWriter;
  readonly #appends: boolean;
  readonly #earlyBytes: EarlyBytes;
  /** Pieces that came before those in front of them, by their place in the file. */
  readonly #early = new Map<number, Buffer>();
  #failure: unknown;

  constructor(
    context: TenantContext,
    open: OpenFile,
    { appends, earlyBytes }: { readonly appends: boolean; readonly earlyBytes: EarlyBytes },
  ) {
    this.#file = open.file;
    this.#writer = new FileWriter(context, open);
    this.#appends = appends;
    this.#earlyBytes = earlyBytes;
  }

  get file(): ImportFile {
    return { ...this.#file, size: this.#writer.size };
  }

  /**
   * Files only grow at their end. Clients that send many pieces at once may send some of them a little
   * early. In a file that was opened to append, all writing is at its end.
   */
  async write(offset: number, sent: Buffer): Promise<void> {
    await this.#attempt(async () => {
      const bytes = apart(sent);
      if (!this.#appends && offset !== this.#writer.size) {
        this.#hold(offset, bytes);
        return;
      }
      await this.#writer.write(bytes);
      for (let next = this.#take(); next !== undefined; next = this.#take()) {
        await this.#writer.write(next);
      }
    });
  }

  #hold(offset: number, bytes: Buffer): void {
    const isEarly = offset > this.#writer.size && !this.#early.has(offset);
    const hasRoom =
      this.#earlyBytes.held + bytes.length <= EARLY_BYTES_MAX &&
      this.#early.size < EARLY_PIECES_MAX;
    if (!isEarly || !hasRoom) {
      throw failed("Files are written from their start to their end, without gaps.");
    }
    this.#early.set(offset, bytes);
    this.#earlyBytes.held += bytes.length;
  }

  /** The piece that is not early any more. */
  #take(): Buffer | undefined {
    const offset = this.#writer.size;
    const bytes = this.#early.get(offset);
    this.#early.delete(offset);
    this.#earlyBytes.held -= bytes?.length ?? 0;
    return bytes;
  }

  async flush(): Promise<void> {
    await this.#attempt(() => this.#writer.flush());
  }

  /** All bytes have come. A file of which a part could not be stored is never complete. */
  async finish(): Promise<void> {
    try {
      await this.#attempt(async () => {
        if (this.#early.size > 0) throw failed("Some bytes of the file have not come.");
        await this.#writer.finish();
      });
    } finally {
      this.drop();
    }
  }

  /** Forgets what was not written. */
  drop(): void {
    for (const bytes of this.#early.values()) this.#earlyBytes.held -= bytes.length;
    this.#early.clear();
  }

  /** Clients send many pieces before they read an answer: all after a failed one must fail, too. */
  async #attempt(step: () => Promise<unknown>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await step();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

/**
 * A piece is part of all that came from the client at once, which may be megabytes, and would be kept
 * as long as the piece.
 */
function apart(piece: Buffer): Buffer {
  return piece.buffer.byteLength > 2 * piece.length ? Buffer.from(piece) : piece;
}
