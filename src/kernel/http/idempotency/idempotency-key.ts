import { hash } from "node:crypto";

export type IdempotencyKeyResult = { ok: true; key: string } | { ok: false; problem: string };

const KEY_CHARS_MAX = 255;
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const VISIBLE_ASCII = /^[!-~]+$/;

/**
 * Reads the Idempotency-Key header. The draft standard wants a quoted string, most clients send the
 * bare value; both name the same key. A header sent twice arrives joined by a comma and a space and
 * is refused for the space: guessing which of the two was meant could repeat a payment.
 */
export function readIdempotencyKey(header: string): IdempotencyKeyResult {
  const key = unquote(header.trim());
  if (key === undefined) {
    return { ok: false, problem: "The Idempotency-Key header is not a well-formed quoted string." };
  }
  if (key === "") return { ok: false, problem: "The Idempotency-Key header is empty." };
  if (key.length > KEY_CHARS_MAX) {
    const problem = `The Idempotency-Key header is longer than ${KEY_CHARS_MAX} characters.`;
    return { ok: false, problem };
  }
  if (!VISIBLE_ASCII.test(key)) {
    const problem =
      "The Idempotency-Key header must be one key of visible ASCII characters without spaces.";
    return { ok: false, problem };
  }
  return { ok: true, key };
}

function unquote(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  return QUOTED.exec(value)?.[1]?.replace(/\\(.)/g, "$1");
}

/**
 * SHA-256 of a request body, the same however its keys were ordered or its text was spaced. Bytes
 * (an uploaded archive) are hashed as they are; an absent body differs from a `null` one.
 */
export function fingerprint(value: unknown): string {
  if (value instanceof Uint8Array) return hash("sha256", value, "hex");
  // The NUL character first keeps JSON apart from raw bytes that happen to have the same content.
  return hash("sha256", `\u0000${JSON.stringify(value, withSortedKeys) ?? ""}`, "hex");
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // In an object without a prototype, a key named __proto__ is an ordinary key.
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value).sort(byKey)) sorted[key] = member;
  return sorted;
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
