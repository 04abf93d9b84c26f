import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Big-endian base62 of fixed width, so that the order of texts is the order of numbers. */
export function base62(bytes: Uint8Array, width: number): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = "";
  while (text.length < width) {
    text = (ALPHABET[Number(value % 62n)] ?? "") + text;
    value /= 62n;
  }
  return text;
}

// Random bytes are requested in blocks, because a request costs the same for few bytes as for many.
const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);
let poolUsed = 0;

/** Each byte is used only once. */
function randomByte(): number {
  if (poolUsed === pool.length) {
    pool = randomBytes(POOL_BYTES);
    poolUsed = 0;
  }
  const byte = pool[poolUsed] ?? 0;
  pool[poolUsed] = 0;
  poolUsed += 1;
  return byte;
}

export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    const byte = randomByte();
    // 248 = 4 × 62: larger bytes would make some characters more likely than others.
    if (byte < 248) text += ALPHABET[byte % 62];
  }
  return text;
}

/** The largest number of two characters. */
const COUNTER_MAX = 62 ** 2 - 1;
let lastMilliseconds = 0;
let counter = 0;

/**
 * An identifier in the order of time: `evt_`, 8 characters of time, 2 for the order within the
 * millisecond, 12 random ones. Ordered keys keep index inserts on the rightmost page.
 */
export function newId(prefix: string, now: number = Date.now()): string {
  // If the clock goes back, however far and for however long, the ids of this process keep their
  // order: when a millisecond has no number left, the next one lends its numbers.
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    counter = 0;
  } else if (counter < COUNTER_MAX) {
    counter += 1;
  } else {
    lastMilliseconds += 1;
    counter = 0;
  }
  const time = base62Number(lastMilliseconds, 8);
  return `${prefix}_${time}${base62Number(counter, 2)}${randomBase62(12)}`;
}

/** A lower bound, in the order of bytes, of all ids made at this time or later. */
export function firstIdOf(prefix: string, at: Date): string {
  return `${prefix}_${base62Number(at.getTime(), 8)}`;
}

function base62Number(value: number, width: number): string {
  let text = "";
  let rest = value;
  while (text.length < width) {
    text = (ALPHABET[rest % 62] ?? "") + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
