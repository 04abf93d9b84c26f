/** A chunk of this size is kept as it is: copying would cost more than its Buffer object. */
const KEPT_BYTES_MIN = 16 * 1024;
const BLOCK_BYTES_MIN = 1024;
const BLOCK_BYTES_MAX = 64 * 1024;

/**
 * Collects bytes that arrive in chunks. A sender may send chunks of one byte, and every chunk is an
 * object of more than a hundred bytes. So small chunks are copied together, and memory grows with
 * the number of bytes, not of chunks.
 */
export class ByteCollector {
  #parts: Buffer[] = [];
  /** The last part, if it may have free space. */
  #block: Buffer | undefined;
  #blockBytes = 0;
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add(chunk: Buffer): void {
    const before = this.#sizeBytes;
    this.#sizeBytes += chunk.length;
    // Most bodies come in one chunk, which needs no copy.
    if (before === 0) {
      this.#parts.push(chunk);
      return;
    }
    // A large chunk fills up the block too: the free space of an abandoned block would be wasted.
    const copied = this.#fill(chunk, 0);
    const left = chunk.length - copied;
    if (left === 0) return;
    this.#closeBlock();
    if (left >= KEPT_BYTES_MIN) {
      this.#parts.push(chunk.subarray(copied));
      return;
    }
    // A new block is as large as everything so far, so at most half of the memory is free space.
    const bytes = Math.min(Math.max(before, BLOCK_BYTES_MIN), BLOCK_BYTES_MAX);
    this.#block = Buffer.allocUnsafeSlow(Math.max(bytes, left));
    this.#parts.push(this.#block);
    this.#fill(chunk, copied);
  }

  /** Returns the number of bytes that were copied. */
  #fill(chunk: Buffer, from: number): number {
    if (this.#block === undefined) return 0;
    const count = chunk.copy(this.#block, this.#blockBytes, from);
    this.#blockBytes += count;
    return count;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) {
      this.#parts[this.#parts.length - 1] = this.#block.subarray(0, this.#blockBytes);
    }
    this.#block = undefined;
    this.#blockBytes = 0;
  }

  /** Returns all bytes in one Buffer, and empties the collector. */
  take(): Buffer {
    const size = this.#sizeBytes;
    const parts = this.takeParts();
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts, size);
  }

  /** Returns all bytes in order, in the Buffers that hold them, and empties the collector. */
  takeParts(): Buffer[] {
    this.#closeBlock();
    const parts = this.#parts;
    this.#parts = [];
    this.#sizeBytes = 0;
    return parts;
  }
}
