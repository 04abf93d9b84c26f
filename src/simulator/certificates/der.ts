/**
 * DER (X.690), written and read. The simulator has its own, so that it would notice a mistake in
 * what the product writes.
 */

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
export const setOf = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const octets = (...parts: readonly Uint8Array[]): Buffer => der(0x04, ...parts);
export const bits = (...parts: readonly Uint8Array[]): Buffer =>
  der(0x03, Buffer.from([0]), ...parts);
export const TRUE: Buffer = Buffer.from([0x01, 0x01, 0xff]);

/** A number that is not negative, given by its bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const isHigh = ((bytes[0] ?? 0) & 0x80) !== 0;
  return der(0x02, isHigh ? Buffer.from([0]) : Buffer.alloc(0), bytes);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = rest.flatMap((arc) => {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift((left % 128) | 0x80);
    }
    return digits;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

/** GeneralizedTime, in UTC and to the second. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  return der(0x18, Buffer.from(`${digits}Z`));
}

/** One element as it was read. */
export type Element = {
  readonly tag: number;
  /** All bytes of the element, with its tag and length. */
  readonly raw: Buffer;
  readonly content: Buffer;
};

/** Reads the elements that follow each other in these bytes; throws if they are not DER. */
export function readElements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    const element = readElement(bytes, at);
    found.push(element);
    at += element.raw.length;
  }
  return found;
}

function readElement(bytes: Buffer, start: number): Element {
  const tag = bytes[start] ?? 0;
  let at = start + 2;
  let length = bytes[start + 1] ?? 0;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4) throw new Error("A length that DER does not allow.");
    if (at + count > bytes.length) throw new Error("The bytes end within a length.");
    length = bytes.readUIntBE(at, count);
    at += count;
  }
  const end = at + length;
  if (end > bytes.length) throw new Error("The bytes end within an element.");
  return { tag, raw: bytes.subarray(start, end), content: bytes.subarray(at, end) };
}

/** The elements inside an element, which must have this tag. */
export function inside(element: Element | undefined, tag: number): Element[] {
  if (element?.tag !== tag) throw new Error(`An element ${tag.toString(16)} is missing.`);
  return readElements(element.content);
}

export function readOid(element: Element | undefined): string {
  if (element?.tag !== 0x06) throw new Error("An object identifier is missing.");
  const [first = 0, ...rest] = element.content;
  const arcs = [Math.min(2, Math.floor(first / 40))];
  arcs.push(first - (arcs[0] ?? 0) * 40);
  let arc = 0;
  for (const byte of rest) {
    arc = arc * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) {
      arcs.push(arc);
      arc = 0;
    }
  }
  return arcs.join(".");
}
