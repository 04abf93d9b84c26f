import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { base62 } from "#kernel/ids.ts";

export type TokenKind = "api-key" | "device";
export type TokenEnvironment = "staging" | "production";

export type TokenFacts = {
  readonly environment: TokenEnvironment;
  readonly kind: TokenKind;
};

const RANDOM_BYTES = 32;
/** 62^43 is the first power of 62 beyond 2^256. */
const RANDOM_CHARS = 43;
/** 62^6 is the first power of 62 beyond 2^32. */
const CHECK_CHARS = 6;
const SHOWN_CHARS = 4;

/** Published, so that secret scanners find tokens that leaked. */
export const TOKEN_PATTERN = /\bbf_(?:dev_)?(?:live|test)_[0-9A-Za-z]{49}\b/;

const TOKEN_SHAPE = /^bf_(dev_)?(live|test)_[0-9A-Za-z]{49}$/;

/** The token, given only once to whoever asked for it. `random` is for tests alone. */
export function makeToken(
  { environment, kind }: TokenFacts,
  random: Uint8Array = randomBytes(RANDOM_BYTES),
): string {
  const typed = `bf_${kind === "device" ? "dev_" : ""}${environment === "production" ? "live" : "test"}_`;
  const body = typed + base62(random, RANDOM_CHARS);
  return body + checkCharacters(body);
}

/**
 * What a well-formed token says of itself; undefined for anything else. Typing errors, cut tokens
 * and guesses end here: one pass over the text, no database.
 */
export function parseToken(text: string): TokenFacts | undefined {
  const match = TOKEN_SHAPE.exec(text);
  if (match === null) return undefined;
  const body = text.slice(0, -CHECK_CHARS);
  if (text.slice(-CHECK_CHARS) !== checkCharacters(body)) return undefined;
  return {
    environment: match[2] === "live" ? "production" : "staging",
    kind: match[1] === undefined ? "api-key" : "device",
  };
}

/** All that is stored of a token. A slow hash is for passwords: these are 256 random bits. */
export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Enough to recognise a key by, far too little to guess it. */
export function displayPrefix(token: string): string {
  return token.slice(0, -(RANDOM_CHARS + CHECK_CHARS) + SHOWN_CHARS);
}

/** Over the typed prefix too, so that a token cannot be carried to the other environment. */
function checkCharacters(body: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return base62(sum, CHECK_CHARS);
}
