import type { TenantContext } from "#kernel/context.ts";
import {
  type Chunk,
  type Folder,
  type ImportFile,
  READ_BYTES,
  readAround,
} from "#src/imports/public.ts";
import { PIECE_BYTES_MAX } from "../protocol/protocol.codes.ts";

/**
 * A file that a client is reading. Clients read from start to end: then each chunk is read once. Those
 * that jump get the one chunk that they asked for, and none of it twice while they stay in it.
 */
export class Download {
  readonly folder: Folder;
  readonly file: ImportFile;
  readonly #context: TenantContext;
  /** What was read last, without gaps. */
  #chunks: readonly Chunk[] = [];

  constructor(context: TenantContext, folder: Folder, file: ImportFile) {
    this.#context = context;
    this.folder = folder;
    this.file = file;
  }

  /**
   * Undefined at the end of the file. Fewer bytes than asked for come only before that: for fewer, some
   * versions of OpenSSH ask again in pieces of that size, and then cut the file off.
   */
  async read(offset: number, bytesMax: number): Promise<Buffer | undefined> {
    const wanted = Math.min(bytesMax, PIECE_BYTES_MAX, this.file.size - offset);
    if (wanted <= 0) return undefined;
    const pieces: Buffer[] = [];
    for (let at = offset; at < offset + wanted; ) {
      const { position, bytes } = this.#known(at) ?? (await this.#load(at));
      const piece = bytes.subarray(at - position, offset + wanted - position);
      pieces.push(piece);
      at += piece.length;
    }
    return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0];
  }

  #known(offset: number): Chunk | undefined {
    return this.#chunks.find(
      ({ position, bytes }) => position <= offset && offset < position + bytes.length,
    );
  }

  async #load(offset: number): Promise<Chunk> {
    const last = this.#chunks.at(-1);
    const goesOn = last !== undefined && offset === last.position + last.bytes.length;
    const isStart = offset === 0;
    const read = await readAround(
      this.#context,
      this.file,
      offset,
      goesOn || isStart ? READ_BYTES : 1,
    );
    // Clients that ask for several pieces at once may come back to one that they left out.
    this.#chunks = goesOn ? [last, ...read] : read;
    const chunk = this.#known(offset);
    if (chunk === undefined) throw new Error("The chunk that was read has not the byte.");
    return chunk;
  }
}
