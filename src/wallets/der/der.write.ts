/**
 * Writes values of ASN.1 by the distinguished rules (DER), as far as certificates and signatures
 * need them. Every value has exactly one form, so equal values are equal bytes.
 */

const SHORT_LENGTH_MAX = 0x7f;

/** A value with its tag and length before it. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((total, part) => total + part.length, 0);
  const size = lengthBytes(length);
  const value = Buffer.allocUnsafe(1 + size.length + length);
  value[0] = tag;
  value.set(size, 1);
  let at = 1 + size.length;
  for (const part of parts) {
    value.set(part, at);
    at += part.length;
  }
  return value;
}

function lengthBytes(length: number): readonly number[] {
  if (length <= SHORT_LENGTH_MAX) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);

/** The members of a set are sorted by their bytes, whatever order they come in. */
export function setOf(...parts: readonly Uint8Array[]): Buffer {
  return der(0x31, ...parts.toSorted(Buffer.compare));
}

/** A member of a sequence that is told apart by a number: `[0]`, `[3]`. */
export const tagged = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  der(0xa0 | number, ...parts);

/** A number that is not negative: a small one, or the bytes of a large one. */
export function integer(value: number | Uint8Array): Buffer {
  const bytes = typeof value === "number" ? numberBytes(value) : value;
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const digits = bytes.subarray(start);
  // The first bit is the sign.
  const isHigh = (digits[0] ?? 0) > SHORT_LENGTH_MAX;
  return isHigh ? der(0x02, Buffer.from([0]), digits) : der(0x02, digits);
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

export const nothing: Buffer = der(0x05);
export const yes: Buffer = der(0x01, Buffer.from([0xff]));
export const octets = (bytes: Uint8Array): Buffer => der(0x04, bytes);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, "utf8"));

/** Bits, of which the last `unused` do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer =>
  der(0x03, Buffer.from([unused]), bytes);

/** An object identifier, such as `1.2.840.113549.1.7.2`. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  const digits = [arc % 128];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
    digits.unshift((left % 128) | 0x80);
  }
  return digits;
}

const UTC_TIME_YEAR_MAX = 2049;

/** Years that two digits cannot tell are written in the longer form, as the standards ask. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, "").slice(0, "YYYYMMDDhhmmss".length);
  return date.getUTCFullYear() > UTC_TIME_YEAR_MAX
    ? der(0x18, Buffer.from(`${digits}Z`, "latin1"))
    : der(0x17, Buffer.from(`${digits.slice(2)}Z`, "latin1"));
}
