/**
 * Reading a piece takes a fraction of a millisecond, and some ten milliseconds if it is full of tiny
 * rows that are all wrong. So long others wait for the event loop.
 */
const PIECE_BYTES = 16 * 1024;

/**
 * The same bytes in pieces of one size. Clients and networks choose the chunks in which a file
 * comes: chunks of one byte would make a long row, which is read again with every piece, cost time
 * by the square of its length. A piece is valid until the next one is asked for.
 */
export async function* piecesOf(
  chunks: AsyncIterable<Uint8Array>,
  sizeBytes = PIECE_BYTES,
): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafeSlow(sizeBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    while (at < bytes.length) {
      if (filled === 0 && bytes.length - at >= sizeBytes) {
        yield bytes.subarray(at, at + sizeBytes);
        at += sizeBytes;
        continue;
      }
      const copied = bytes.copy(block, filled, at);
      at += copied;
      filled += copied;
      if (filled < sizeBytes) continue;
      yield block;
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
