import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Verdict } from "./connector.ts";

type Sha = "sha256" | "sha1";

/** An HMAC of these parts, one after the other. */
export function hmac(
  key: string | Buffer,
  parts: readonly (string | Buffer)[],
  sha: Sha = "sha256",
) {
  const mac = createHmac(sha, key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** Compares in a time that tells nothing; false for another length. */
export function isSameBytes(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * The bytes of a signature; undefined if the text is not written as that encoding writes them. Bits that
 * mean nothing must be zero: otherwise several texts would be the same signature.
 */
export function decodeSignature(text: string, encoding: "base64" | "hex"): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  const written = encoding === "hex" ? text.toLowerCase() : text;
  return bytes.length > 0 && bytes.toString(encoding) === written ? bytes : undefined;
}

type Signed = {
  /** The value of the header; undefined if the request has none. */
  readonly signature: string | undefined;
  readonly encoding: "base64" | "hex";
  readonly secrets: readonly string[];
  /** What the vendor has signed, in this order. */
  readonly parts: readonly (string | Buffer)[];
};

/** Whether one of the secrets made the HMAC-SHA256 in a header. Every secret is tried, always. */
export function verifyHmac({ signature, encoding, secrets, parts }: Signed): Verdict {
  if (secrets.length === 0) return { ok: false, reason: "no secret is stored" };
  if (signature === undefined) return { ok: false, reason: "no signature" };
  const sent = decodeSignature(signature.trim(), encoding);
  if (sent === undefined) return { ok: false, reason: "the signature cannot be read" };
  let isRight = false;
  for (const secret of secrets) {
    if (isSameBytes(hmac(secret, parts), sent)) isRight = true;
  }
  return isRight ? { ok: true } : { ok: false, reason: "the signature is wrong" };
}

/** Whether one of the secrets stands before what an SHA-256 in hexadecimal was made of. */
export function verifyDigest({ signature, secrets, parts }: Omit<Signed, "encoding">): Verdict {
  if (secrets.length === 0) return { ok: false, reason: "no secret is stored" };
  if (signature === undefined) return { ok: false, reason: "no signature" };
  const sent = decodeSignature(signature.trim(), "hex");
  if (sent === undefined) return { ok: false, reason: "the signature cannot be read" };
  let isRight = false;
  for (const secret of secrets) {
    const digest = createHash("sha256").update(secret);
    for (const part of parts) digest.update(part);
    if (isSameBytes(digest.digest(), sent)) isRight = true;
  }
  return isRight ? { ok: true } : { ok: false, reason: "the signature is wrong" };
}

const WHOLE_NUMBER = /^\d{1,15}$/;

/**
 * Whether a signed time, in milliseconds or in units of so many, is within the window around now: a
 * clock may be ahead of ours, too.
 */
export function isRecent(timestamp: string, now: Date, windowMs: number, unitMs = 1): boolean {
  if (!WHOLE_NUMBER.test(timestamp)) return false;
  return Math.abs(now.getTime() - Number(timestamp) * unitMs) <= windowMs;
}
