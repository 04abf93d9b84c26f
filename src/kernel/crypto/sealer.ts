import { createHmac, hash, hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";

const FORMAT = 1;
const KEY_ID_BYTES = 4;

/** How many bytes at the start of a sealed value say which master key sealed it. */
export const MARK_BYTES = 1 + KEY_ID_BYTES;

/**
 * Keeps what is stored unreadable without the master key. Each purpose has a key of its own, and
 * what was sealed for one place (`context`) does not open in another.
 */
export type Sealer = {
  /** What everything sealed from now on begins with. Anything else waits to be sealed anew. */
  readonly mark: Buffer;
  /** The marks of all that can be opened here. */
  readonly knownMarks: readonly Buffer[];
  seal(purpose: string, context: string, plain: Buffer): Buffer;
  /** Undefined when no known key opens it: wrong key, wrong place, or changed bytes. */
  open(purpose: string, context: string, sealed: Buffer): Buffer | undefined;
  /**
   * Codes (HMAC) that nobody makes without a master key: 32 bytes, always the same for the same data.
   * That of the current key comes first, those of the other known ones follow.
   */
  macs(purpose: string, data: Buffer): Generator<Buffer, void>;
};

/** The first key seals; all of them open, so that the master key can be changed while running. */
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

type MasterKey = { readonly mark: Buffer; keyFor(purpose: string): Buffer };

function createMasterKey(master: Buffer): MasterKey {
  const derived = new Map<string, Buffer>();
  function keyFor(purpose: string): Buffer {
    let key = derived.get(purpose);
    if (key === undefined) {
      key = Buffer.from(hkdfSync("sha256", master, "billfold", purpose, KEY_BYTES));
      derived.set(purpose, key);
    }
    return key;
  }
  // Of a derived key that seals nothing: the mark tells keys apart and nothing about any of them.
  const id = hash("sha256", keyFor("key-id"), "buffer").subarray(0, KEY_ID_BYTES);
  return { mark: Buffer.concat([Buffer.of(FORMAT), id]), keyFor };
}

function bind(mark: Buffer, context: string): Buffer {
  return Buffer.concat([mark, Buffer.from(context)]);
}
