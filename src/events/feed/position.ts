import type { Sealer } from "#kernel/crypto/sealer.ts";

/**
 * A place in the feed of a tenant: after this event. Numbers as text, since both are wider than
 * JavaScript's.
 */
export type Position = { readonly xact: string; readonly sequence: string };

/** Before whatever is kept. */
export const BEGINNING: Position = { xact: "0", sequence: "0" };

export function isSamePosition(left: Position, right: Position): boolean {
  return left.xact === right.xact && left.sequence === right.sequence;
}

const SEQUENCE_MAX = 2n ** 63n - 1n;
const POSITION_BYTES = 16;
const CODE_BYTES = 12;
const CURSOR = /^[\w-]{38}$/;
const [CODE, MASK] = ["event-cursor code", "event-cursor mask"];

/** Gives and takes the cursors of one tenant's feed. */
export type Cursors = {
  encode(position: Position): string;
  /** Undefined for what `encode` never gave, or gave to another tenant. */
  decode(cursor: string): Position | undefined;
};

/**
 * Both numbers count for the whole installation, and whoever could read them would learn how much
 * others do. So a cursor is encrypted: a code of the position, and the position under a mask that
 * follows from the code (as SIV does it). The same place always has the same cursor, and clients see
 * by that whether they have come any further.
 */
export function createCursors(sealer: Sealer, tenantId: string): Cursors {
  const tenant = Buffer.from(tenantId);
  const codesOf = (bytes: Buffer) => sealer.macs(CODE, Buffer.concat([bytes, tenant]));
  const masksOf = (code: Buffer) => sealer.macs(MASK, Buffer.concat([code, tenant]));
  return {
    encode(position) {
      const bytes = toBytes(position);
      const code = first(codesOf(bytes)).subarray(0, CODE_BYTES);
      const masked = xor(bytes, first(masksOf(code)));
      return Buffer.concat([code, masked]).toString("base64url");
    },
    decode(cursor) {
      if (!CURSOR.test(cursor)) return undefined;
      const sent = Buffer.from(cursor, "base64url");
      if (sent.toString("base64url") !== cursor) return undefined;
      const [code, masked] = [sent.subarray(0, CODE_BYTES), sent.subarray(CODE_BYTES)];
      for (const mask of masksOf(code)) {
        const bytes = xor(masked, mask);
        for (const own of codesOf(bytes)) {
          if (own.subarray(0, CODE_BYTES).equals(code)) return fromBytes(bytes);
        }
      }
      return undefined;
    },
  };
}

function first(codes: Generator<Buffer, void>): Buffer {
  const { value } = codes.next();
  if (value === undefined) throw new Error("There is no master key.");
  return value;
}

function xor(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)));
}

function toBytes({ xact, sequence }: Position): Buffer {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeBigUInt64BE(BigInt(xact), 0);
  bytes.writeBigUInt64BE(BigInt(sequence), 8);
  return bytes;
}

function fromBytes(bytes: Buffer): Position | undefined {
  const [xact, sequence] = [bytes.readBigUInt64BE(0), bytes.readBigUInt64BE(8)];
  return sequence > SEQUENCE_MAX ? undefined : { xact: String(xact), sequence: String(sequence) };
}
