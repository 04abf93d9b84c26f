/**
 * RC2 in CBC mode, decryption only (RFC 2268). Keychain on macOS and `openssl pkcs12 -legacy`
 * encrypt certificates with it, and OpenSSL no longer offers it to Node. It protects nothing here:
 * certificates are public.
 */

const PI = Buffer.from(
  `d978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2
   179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82
   54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626
   6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7
   08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec
   c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731
   2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9
   0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad`.replaceAll(/\s/g, ""),
  "hex",
);
const BLOCK_BYTES = 8;
const WORDS = 64;

function expandKey(key: Buffer): Uint16Array {
  const bytes = Buffer.alloc(2 * WORDS);
  key.copy(bytes);
  const pi = (index: number) => PI[index & 0xff] ?? 0;
  for (let at = key.length; at < bytes.length; at += 1) {
    bytes[at] = pi((bytes[at - 1] ?? 0) + (bytes[at - key.length] ?? 0));
  }
  // The effective length is that of the key: 40 bits for exports, 128 for others.
  const first = bytes.length - key.length;
  bytes[first] = pi(bytes[first] ?? 0);
  for (let at = first - 1; at >= 0; at -= 1) {
    bytes[at] = pi((bytes[at + 1] ?? 0) ^ (bytes[at + key.length] ?? 0));
  }
  return Uint16Array.from({ length: WORDS }, (_, word) => bytes.readUInt16LE(2 * word));
}

const ROTATIONS = [1, 2, 3, 5] as const;
/** Mashing rounds come after the 5th and the 11th of the 16 mixing rounds. */
const ROUNDS = 16;

function decryptBlock(block: Buffer, key: Uint16Array): Buffer {
  const r = [0, 2, 4, 6].map((at) => block.readUInt16LE(at));
  const word = (index: number) => r[index & 3] ?? 0;
  let next = WORDS - 1;
  for (let round = ROUNDS - 1; round >= 0; round -= 1) {
    for (let i = 3; i >= 0; i -= 1) {
      const turn = ROTATIONS[i] ?? 0;
      const value = word(i);
      const turned = ((value >>> turn) | (value << (16 - turn))) & 0xffff;
      const mixed = (word(i + 3) & word(i + 2)) + (~word(i + 3) & word(i + 1));
      r[i] = (turned - (key[next] ?? 0) - mixed) & 0xffff;
      next -= 1;
    }
    if (round !== 11 && round !== 5) continue;
    for (let i = 3; i >= 0; i -= 1) r[i] = (word(i) - (key[word(i + 3) & 63] ?? 0)) & 0xffff;
  }
  const plain = Buffer.alloc(BLOCK_BYTES);
  for (const [index, value] of r.entries()) plain.writeUInt16LE(value, 2 * index);
  return plain;
}

/** Undefined if the end is not padded as it must be: the key is wrong, or the data damaged. */
export function decryptRc2(key: Buffer, iv: Buffer, data: Buffer): Buffer | undefined {
  if (data.length === 0 || data.length % BLOCK_BYTES !== 0) return undefined;
  const expanded = expandKey(key);
  const plain = Buffer.alloc(data.length);
  let before = iv;
  for (let at = 0; at < data.length; at += BLOCK_BYTES) {
    const block = data.subarray(at, at + BLOCK_BYTES);
    const opened = decryptBlock(block, expanded);
    for (let i = 0; i < BLOCK_BYTES; i += 1) {
      plain[at + i] = (opened[i] ?? 0) ^ (before[i] ?? 0);
    }
    before = block;
  }
  const padding = plain[plain.length - 1] ?? 0;
  const isPadded =
    padding >= 1 &&
    padding <= BLOCK_BYTES &&
    plain.subarray(-padding).every((byte) => byte === padding);
  return isPadded ? plain.subarray(0, plain.length - padding) : undefined;
}
