import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;

/**
 * Prefer a `KeyObject`: Node converts a Buffer into one at every use, which takes longer than
 * encrypting a short text.
 */
type Key = KeyObject | Buffer;

/**
 * Returns `nonce | ciphertext | tag`. The nonce is random, which is safe for some four thousand
 * million values per key. `bound` is not stored, but must be the same for decryption.
 */
export function encrypt(key: Key, bound: Buffer, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Returns undefined for another key, another `bound`, or bytes that were changed, added or cut off.
 */
export function decrypt(key: Key, bound: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
  // Without authTagLength, a tag that was cut to four bytes would be accepted.
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}
