import { createDecipheriv, createHmac, hash, pbkdf2, timingSafeEqual } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { type DerNode, numberOf, octetsOf, oidOf, partOf, TAG } from "../../der/der.read.ts";
import { decryptRc2 } from "./rc2.ts";

/** What a passphrase protects: keys on their own, and the parts of a key store. */

export type Locked = "passphrase" | "unsupported" | "too-costly";

/** The data cannot be opened, and why. No message holds a part of the data. */
export class LockedError extends Error {
  readonly why: Locked;

  constructor(why: Locked) {
    super(`The data stays locked: ${why}.`);
    this.why = why;
  }
}

/** OpenSSL writes 2,048, Windows 2,000 and Java 10,000; advice for passwords goes up to 600,000. */
const PBKDF2_ITERATIONS_MAX = 1_000_000;
/** Older files have 1 to 50,000. Each is a call of ours, so there may be fewer. */
const PKCS12_ITERATIONS_MAX = 100_000;
/** Iterations before others have their turn. */
const ITERATIONS_AT_ONCE = 1_000;
const SALT_BYTES_MAX = 1_024;

const HASHES: Readonly<Record<string, string>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const HASH_BLOCK_BYTES: Readonly<Record<string, number>> = {
  sha1: 64,
  sha256: 64,
  sha384: 128,
  sha512: 128,
};
const HMACS: Readonly<Record<string, string>> = {
  "1.2.840.113549.2.7": "sha1",
  "1.2.840.113549.2.9": "sha256",
  "1.2.840.113549.2.10": "sha384",
  "1.2.840.113549.2.11": "sha512",
};
const CIPHERS: Readonly<Record<string, { name: string; keyBytes: number }>> = {
  "2.16.840.1.101.3.4.1.2": { name: "aes-128-cbc", keyBytes: 16 },
  "2.16.840.1.101.3.4.1.22": { name: "aes-192-cbc", keyBytes: 24 },
  "2.16.840.1.101.3.4.1.42": { name: "aes-256-cbc", keyBytes: 32 },
  "1.2.840.113549.3.7": { name: "des-ede3-cbc", keyBytes: 24 },
};
/** The schemes of PKCS#12 itself, all with SHA-1. */
const OLD_SCHEMES: Readonly<Record<string, { name: "3des" | "rc2"; keyBytes: number }>> = {
  "1.2.840.113549.1.12.1.3": { name: "3des", keyBytes: 24 },
  "1.2.840.113549.1.12.1.4": { name: "3des", keyBytes: 16 },
  "1.2.840.113549.1.12.1.5": { name: "rc2", keyBytes: 16 },
  "1.2.840.113549.1.12.1.6": { name: "rc2", keyBytes: 5 },
};
const PBES2 = "1.2.840.113549.1.5.13";
const PBKDF2 = "1.2.840.113549.1.5.12";

const derivePbkdf2 = promisify(pbkdf2);

/** A known value of a table of algorithms. */
function known<Value>(table: Readonly<Record<string, Value>>, oid: string): Value {
  const value = table[oid];
  if (value === undefined) throw new LockedError("unsupported");
  return value;
}

function requireIterations(iterations: number, max: number): void {
  if (iterations < 1 || iterations > max) throw new LockedError("too-costly");
}

function saltOf(node: DerNode): Buffer {
  const salt = octetsOf(node);
  if (salt.length > SALT_BYTES_MAX) throw new LockedError("too-costly");
  return salt;
}

/** Opens data by its algorithm identifier. */
export function decryptWithPassphrase(
  algorithm: DerNode,
  passphrase: string,
  data: Buffer,
): Promise<Buffer> {
  return oidOf(partOf(algorithm, 0)) === PBES2
    ? decryptNew(partOf(algorithm, 1, TAG.sequence), passphrase, data)
    : decryptOld(algorithm, passphrase, data);
}

async function decryptNew(parameters: DerNode, passphrase: string, data: Buffer): Promise<Buffer> {
  const derivation = partOf(parameters, 0, TAG.sequence);
  const encryption = partOf(parameters, 1, TAG.sequence);
  if (oidOf(partOf(derivation, 0)) !== PBKDF2) throw new LockedError("unsupported");
  const cipher = known(CIPHERS, oidOf(partOf(encryption, 0)));
  const [salt, count, ...optional] = partOf(derivation, 1, TAG.sequence).parts;
  if (salt === undefined || count === undefined) throw new LockedError("unsupported");
  const iterations = numberOf(count);
  requireIterations(iterations, PBKDF2_ITERATIONS_MAX);
  const chosen = optional.find(({ tag }) => tag === TAG.sequence);
  const digest = chosen === undefined ? "sha1" : known(HMACS, oidOf(partOf(chosen, 0)));
  const key = await derivePbkdf2(passphrase, saltOf(salt), iterations, cipher.keyBytes, digest);
  return decipher(cipher.name, key, octetsOf(partOf(encryption, 1)), data);
}

async function decryptOld(algorithm: DerNode, passphrase: string, data: Buffer): Promise<Buffer> {
  const scheme = known(OLD_SCHEMES, oidOf(partOf(algorithm, 0)));
  const parameters = partOf(algorithm, 1, TAG.sequence);
  const salt = saltOf(partOf(parameters, 0));
  const iterations = numberOf(partOf(parameters, 1));
  const derive = (id: number, bytes: number) =>
    derivePkcs12({ digest: "sha1", id, secret: wide(passphrase), salt, iterations, bytes });
  const key = await derive(KEY_ID, scheme.keyBytes);
  const iv = await derive(IV_ID, 8);
  if (scheme.name === "3des") {
    const three = key.length === 24 ? key : Buffer.concat([key, key.subarray(0, 8)]);
    return decipher("des-ede3-cbc", three, iv, data);
  }
  const plain = decryptRc2(key, iv, data);
  if (plain === undefined) throw new LockedError("passphrase");
  return plain;
}

function decipher(name: string, key: Buffer, iv: Buffer, data: Buffer): Buffer {
  try {
    const cipher = createDecipheriv(name, key, iv);
    return Buffer.concat([cipher.update(data), cipher.final()]);
  } catch {
    throw new LockedError("passphrase");
  }
}

const KEY_ID = 1;
const IV_ID = 2;
const MAC_ID = 3;

/** PKCS#12 takes passphrases in UTF-16, the end marked. */
function wide(passphrase: string): Buffer {
  return Buffer.from(`${passphrase}\0`, "utf16le").swap16();
}

type Derivation = {
  readonly digest: string;
  readonly id: number;
  readonly secret: Buffer;
  readonly salt: Buffer;
  readonly iterations: number;
  readonly bytes: number;
};

/** The derivation of PKCS#12 (RFC 7292, appendix B.2). */
async function derivePkcs12(wish: Derivation): Promise<Buffer> {
  const { digest, id, secret, salt, iterations, bytes } = wish;
  requireIterations(iterations, PKCS12_ITERATIONS_MAX);
  const block = HASH_BLOCK_BYTES[digest] ?? 64;
  const fill = (from: Buffer) =>
    Buffer.alloc(from.length === 0 ? 0 : block * Math.ceil(from.length / block), from);
  const input = Buffer.concat([fill(salt), fill(secret)]);
  const diversifier = Buffer.alloc(block, id);
  const pieces: Buffer[] = [];
  for (let made = 0; made < bytes; ) {
    let piece = hash(digest, Buffer.concat([diversifier, input]), "buffer");
    for (let count = 1; count < iterations; count += 1) {
      piece = hash(digest, piece, "buffer");
      if (count % ITERATIONS_AT_ONCE === 0) await nextTurn();
    }
    pieces.push(piece);
    made += piece.length;
    const addend = Buffer.alloc(block, piece);
    for (let at = 0; at < input.length; at += block) addPlusOne(input, at, addend);
  }
  return Buffer.concat(pieces).subarray(0, bytes);
}

/** Adds a number and one to the block at this place, as whole numbers of that many bytes. */
function addPlusOne(input: Buffer, at: number, addend: Buffer): void {
  let carry = 1;
  for (let index = addend.length - 1; index >= 0; index -= 1) {
    carry += (input[at + index] ?? 0) + (addend[index] ?? 0);
    input[at + index] = carry & 0xff;
    carry >>= 8;
  }
}

/** Whether the passphrase is that with which the key store was closed. */
export async function isClosedWith(
  macData: DerNode,
  passphrase: string,
  content: Buffer,
): Promise<boolean> {
  const info = partOf(macData, 0, TAG.sequence);
  const digest = known(HASHES, oidOf(partOf(partOf(info, 0, TAG.sequence), 0)));
  const expected = octetsOf(partOf(info, 1));
  const salt = saltOf(partOf(macData, 1));
  const count = macData.parts[2];
  const iterations = count === undefined ? 1 : numberOf(count);
  const bytes = hash(digest, "", "buffer").length;
  // Some programs close a store without a passphrase with nothing at all, not even the end mark.
  const secrets = passphrase === "" ? [wide(""), Buffer.alloc(0)] : [wide(passphrase)];
  for (const secret of secrets) {
    const key = await derivePkcs12({ digest, id: MAC_ID, secret, salt, iterations, bytes });
    const found = createHmac(digest, key).update(content).digest();
    if (found.length === expected.length && timingSafeEqual(found, expected)) return true;
  }
  return false;
}
