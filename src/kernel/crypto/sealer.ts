import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";

const FORMAT = 1;
const KEY_ID_BYTES = 4;

/** The bytes at the start of a sealed value that identify its master key. */
export const MARK_BYTES = 1 + KEY_ID_BYTES;

/**
 * Encrypts stored values with the master key. Each purpose has a key of its own, and a value that
 * was sealed for one `context` cannot be opened in another.
 */
export type Sealer = {
  /** The first bytes of all values sealed from now on. Values with another mark need resealing. */
  readonly mark: Buffer;
  /** The marks of all values that can be opened. */
  readonly knownMarks: readonly Buffer[];
  seal(purpose: string, context: string, plain: Buffer): Buffer;
  /**
   * Returns undefined if no known key opens the value: wrong key, wrong context, or changed bytes.
   */
  open(purpose: string, context: string, sealed: Buffer): Buffer | undefined;
  /**
   * Message authentication codes (HMAC, 32 bytes) that cannot be made without a master key; the
   * same data always give the same codes. The code of the current key comes first, then those of
   * the other known keys.
   */
  macs(purpose: string, data: Buffer): Generator<Buffer, void>;
};

/** The first key seals; all keys open, so that the master key can be changed without a stop. */
export function createSealer(masterKeys: readonly [Buffer, ...Buffer[]]): Sealer {
  const [current, ...others] = masterKeys;
  const first = createMasterKey(current);
  const known = [first, ...others.map(createMasterKey)];
  return {
    mark: first.mark,
    knownMarks: known.map(({ mark }) => mark),
    seal(purpose, context, plain) {
      const sealed = encrypt(first.keyFor(purpose), bind(first.mark, context), plain);
      return Buffer.concat([first.mark, sealed]);
    },
    open(purpose, context, sealed) {
      const mark = sealed.subarray(0, MARK_BYTES);
      const master = known.find((key) => key.mark.equals(mark));
      if (master === undefined) return undefined;
      return decrypt(master.keyFor(purpose), bind(mark, context), sealed.subarray(MARK_BYTES));
    },
    *macs(purpose, data) {
      for (const key of known) {
        yield createHmac("sha256", key.keyFor(purpose)).update(data).digest();
      }
    },
  };
}

type MasterKey = { readonly mark: Buffer; keyFor(purpose: string): KeyObject };

function createMasterKey(master: Buffer): MasterKey {
  const derived = new Map<string, KeyObject>();
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", master, "billfold", purpose, KEY_BYTES));
  function keyFor(purpose: string): KeyObject {
    let key = derived.get(purpose);
    if (key === undefined) {
      key = createSecretKey(derive(purpose));
      derived.set(purpose, key);
    }
    return key;
  }
  // The mark comes from a derived key that seals nothing, so it identifies a key without revealing
  // it.
  const id = hash("sha256", derive("key-id"), "buffer").subarray(0, KEY_ID_BYTES);
  return { mark: Buffer.concat([Buffer.of(FORMAT), id]), keyFor };
}

function bind(mark: Buffer, context: string): Buffer {
  return Buffer.concat([mark, Buffer.from(context)]);
}
