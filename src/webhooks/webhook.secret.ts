import { randomBytes } from "node:crypto";
import type { Sealer } from "#kernel/crypto/sealer.ts";

export const SECRET_PURPOSE = "webhook-secret";

/** 64 characters of base64, a form that works for both ways of signing. */
const SECRET_BYTES = 48;

/**
 * Neither part can contain a `|`, so a secret sealed for one webhook cannot be opened for another.
 */
export function secretPlace(tenantId: string, webhookId: string): string {
  return `${tenantId}|${webhookId}`;
}

export function makeSignatureSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64");
}

export function sealSecret(
  sealer: Sealer,
  tenantId: string,
  webhookId: string,
  secret: string,
): Buffer {
  return sealer.seal(SECRET_PURPOSE, secretPlace(tenantId, webhookId), Buffer.from(secret));
}

/** Undefined if the value was changed, moved, or sealed with an unknown key. */
export function openSecret(
  sealer: Sealer,
  tenantId: string,
  webhookId: string,
  sealed: Buffer,
): string | undefined {
  const plain = sealer.open(SECRET_PURPOSE, secretPlace(tenantId, webhookId), sealed);
  const secret = plain?.toString();
  plain?.fill(0);
  return secret;
}
