import { createHash, webcrypto } from "node:crypto";

/** A millisecond of work; handing it to another thread takes longer. */
const ON_LOOP_BYTES_MAX = 256 * 1024;

/** The SHA-256 of the bytes; of many bytes it is made beside the event loop. */
export async function contentHash(bytes: Buffer): Promise<Buffer> {
  if (bytes.length > ON_LOOP_BYTES_MAX) {
    return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes));
  }
  return createHash("sha256").update(bytes).digest();
}
