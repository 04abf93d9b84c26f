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
/** 43 characters, because 62^43 is the first power of 62 above 2^256. */
const RANDOM_CHARS = 43;
/** 6 characters, because 62^6 is the first power of 62 above 2^32. */
const CHECK_CHARS = 6;
const SHOWN_CHARS = 4;

/** Published, so that secret scanners find leaked tokens. */
export const TOKEN_PATTERN = /\bbf_(?:dev_)?(?:live|test)_[0-9A-Za-z]{49}\b/;

const TOKEN_SHAPE = /^bf_(dev_)?(live|test)_[0-9A-Za-z]{49}$/;

/** The caller must show the token now: it cannot be read again. `random` is for tests only. */
export function makeToken(
  { environment, kind }: TokenFacts,
  random: Uint8Array = randomBytes(RANDOM_BYTES),
): string {
  const typed = `bf_${kind === "device" ? "dev_" : ""}${environment === "production" ? "live" : "test"}_`;
  const body = typed + base62(random, RANDOM_CHARS);
  return body + checkCharacters(body);
}

/**
 * Returns what a well-formed token contains, or undefined for any other text. Typing errors, cut
 * tokens and most guesses are refused here without a query.
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

/** Only this hash is stored. A slow hash is not needed, because a token has 256 random bits. */
export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Long enough to recognise a key, and too short to help in guessing it. */
export function displayPrefix(token: string): string {
  return token.slice(0, -(RANDOM_CHARS + CHECK_CHARS) + SHOWN_CHARS);
}

/** Covers the prefix too, so that a changed environment in the prefix makes the token invalid. */
function checkCharacters(body: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return base62(sum, CHECK_CHARS);
}
