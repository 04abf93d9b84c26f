/**
 * A place in the feed of a tenant: after this event. Numbers as text, since both are wider than
 * JavaScript's.
 */
export type Position = { readonly xact: string; readonly sequence: string };

/** Before whatever is kept. */
export const BEGINNING: Position = { xact: "0", sequence: "0" };

const XACT_MAX = 2n ** 64n - 1n;
const SEQUENCE_MAX = 2n ** 63n - 1n;
const CURSOR_CHARS_MAX = 60;
const PARTS = /^(0|[1-9][0-9]{0,19})\.(0|[1-9][0-9]{0,18})$/;

export function encodePosition({ xact, sequence }: Position): string {
  return Buffer.from(`${xact}.${sequence}`).toString("base64url");
}

/** Undefined for what `encodePosition` never gave. */
export function decodePosition(cursor: string): Position | undefined {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[\w-]+$/.test(cursor)) return undefined;
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, xact, sequence] = PARTS.exec(text) ?? [];
  if (xact === undefined || sequence === undefined) return undefined;
  if (BigInt(xact) > XACT_MAX || BigInt(sequence) > SEQUENCE_MAX) return undefined;
  const position = { xact, sequence };
  return encodePosition(position) === cursor ? position : undefined;
}
