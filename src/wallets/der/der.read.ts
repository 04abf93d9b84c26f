/** Binary ASN.1, as keys and key stores are made of, read with limits. */

export type DerNode = {
  readonly tag: number;
  /** The bytes between the header and the end. */
  readonly content: Buffer;
  /** The node as it stands, header included. */
  readonly whole: Buffer;
  /** Empty for a node without parts. */
  readonly parts: readonly DerNode[];
};

export const TAG = {
  integer: 0x02,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  /** `[0]`, with parts. */
  zero: 0xa0,
} as const;

export class DerError extends Error {}

/** The deepest real key store has 12 levels. */
const DEPTH_MAX = 24;
/** A key store with a chain of five certificates has some 400 nodes outside of what is encrypted. */
const NODES_MAX = 10_000;
const CONSTRUCTED = 0x20;
const INDEFINITE = 0x80;

type Cursor = { at: number; nodes: number };

/** Reads one node that fills the bytes. */
export function readDer(bytes: Buffer): DerNode {
  const cursor: Cursor = { at: 0, nodes: 0 };
  const node = readNode(bytes, bytes.length, cursor, 0);
  if (cursor.at !== bytes.length) throw new DerError("there are bytes after the end");
  return node;
}

function readNode(bytes: Buffer, end: number, cursor: Cursor, depth: number): DerNode {
  cursor.nodes += 1;
  if (depth > DEPTH_MAX || cursor.nodes > NODES_MAX) throw new DerError("too many parts");
  const start = cursor.at;
  const tag = byteAt(bytes, end, cursor);
  if ((tag & 0x1f) === 0x1f) throw new DerError("a tag of many bytes");
  const length = readLength(bytes, end, cursor);
  const from = cursor.at;
  if (length === undefined) {
    if ((tag & CONSTRUCTED) === 0) throw new DerError("an open end without parts");
    const parts: DerNode[] = [];
    while (!isEnd(bytes, end, cursor)) parts.push(readNode(bytes, end, cursor, depth + 1));
    const content = bytes.subarray(from, cursor.at - 2);
    return { tag, content, whole: bytes.subarray(start, cursor.at), parts };
  }
  const to = from + length;
  if (to > end) throw new DerError("a part is longer than the whole");
  const parts: DerNode[] = [];
  if ((tag & CONSTRUCTED) === 0) cursor.at = to;
  while (cursor.at < to) parts.push(readNode(bytes, to, cursor, depth + 1));
  return { tag, content: bytes.subarray(from, to), whole: bytes.subarray(start, to), parts };
}

function byteAt(bytes: Buffer, end: number, cursor: Cursor): number {
  const byte = cursor.at < end ? bytes[cursor.at] : undefined;
  if (byte === undefined) throw new DerError("the end is missing");
  cursor.at += 1;
  return byte;
}

/** Undefined for a node that ends with two zero bytes: Firefox writes key stores in this form. */
function readLength(bytes: Buffer, end: number, cursor: Cursor): number | undefined {
  const first = byteAt(bytes, end, cursor);
  if (first < INDEFINITE) return first;
  if (first === INDEFINITE) return undefined;
  const count = first & 0x7f;
  if (count > 4) throw new DerError("a part is longer than the whole");
  let length = 0;
  for (let left = count; left > 0; left -= 1) length = length * 256 + byteAt(bytes, end, cursor);
  return length;
}

function isEnd(bytes: Buffer, end: number, cursor: Cursor): boolean {
  if (cursor.at + 2 > end) throw new DerError("the end is missing");
  if (bytes[cursor.at] !== 0 || bytes[cursor.at + 1] !== 0) return false;
  cursor.at += 2;
  return true;
}

/** The part at a position; it must have the tag, if one is given. */
export function partOf(node: DerNode, index: number, tag?: number): DerNode {
  const part = node.parts[index];
  if (part === undefined || (tag !== undefined && part.tag !== tag)) {
    throw new DerError("a part is missing");
  }
  return part;
}

/** The bytes of an octet string, also of one that comes in pieces. */
export function octetsOf(node: DerNode): Buffer {
  if ((node.tag & CONSTRUCTED) === 0) return node.content;
  return Buffer.concat(node.parts.map((part) => part.content));
}

const INTEGER_BYTES_MAX = 6;

/** A whole number that is not negative. */
export function numberOf(node: DerNode): number {
  const { tag, content } = node;
  const isNumber = tag === TAG.integer && content.length > 0 && (content[0] ?? 0) < 0x80;
  if (!isNumber) throw new DerError("a number is missing");
  if (content.length > INTEGER_BYTES_MAX) return Number.POSITIVE_INFINITY;
  return content.readUIntBE(0, content.length);
}

const OID_BYTES_MAX = 32;

export function oidOf({ tag, content }: DerNode): string {
  const isOid = tag === TAG.oid && content.length > 0 && content.length <= OID_BYTES_MAX;
  if (!isOid) throw new DerError("an identifier is missing");
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (arcs.length === 0) {
      const first = Math.min(Math.floor(arc / 40), 2);
      arcs.push(first, arc - first * 40);
    } else arcs.push(arc);
    arc = 0;
  }
  return arcs.join(".");
}
