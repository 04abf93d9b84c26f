import { createHash, webcrypto } from "node:crypto";

/** Hashing so many bytes takes a millisecond; handing them to another thread would take longer. */
const ON_LOOP_BYTES_MAX = 256 * 1024;

/** The SHA-256 of the bytes; many bytes are hashed in another thread. */
export async function contentHash(bytes: Buffer): Promise<Buffer> {
  if (bytes.length > ON_LOOP_BYTES_MAX) {
    return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes));
  }
  return createHash("sha256").update(bytes).digest();
}
