import type { Sealer } from "#kernel/crypto/sealer.ts";

/**
 * A position in the feed of a tenant: directly after this event. The numbers are text, because both
 * are too large for numbers of JavaScript.
 */
export type Position = { readonly xact: string; readonly sequence: string };

/** Before the oldest event. */
export const BEGINNING: Position = { xact: "0", sequence: "0" };

/** After the newest event, and after all that will come. */
export const END: Position = { xact: "18446744073709551615", sequence: "9223372036854775807" };

export function isSamePosition(left: Position, right: Position): boolean {
  return left.xact === right.xact && left.sequence === right.sequence;
}

const SEQUENCE_MAX = 2n ** 63n - 1n;
const POSITION_BYTES = 16;
const CODE_BYTES = 12;
const CURSOR = /^[\w-]{38}$/;
const [CODE, MASK] = ["event-cursor code", "event-cursor mask"];

/** Encodes and decodes the cursors of the feed of one tenant. */
export type Cursors = {
  encode(position: Position): string;
  /** Undefined for a text that is not a cursor of this tenant. */
  decode(cursor: string): Position | undefined;
};

/**
 * A cursor is encrypted, because both numbers count for the whole installation and would reveal how
 * much other tenants do. It has a code of the position, and the position under a mask that is
 * derived from the code (as in SIV). The same position always has the same cursor, so clients can
 * see whether they have moved on.
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
