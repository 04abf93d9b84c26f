import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

const USER_AGENT = "Billfold-Webhooks/1";

/** The two signing keys of a secret: its characters, and the bytes that it decodes to. */
export type SigningKey = { readonly ofCharacters: KeyObject; readonly ofBytes: KeyObject };

/** Made once for many deliveries, because making a key takes several times as long as signing. */
export function makeSigningKey(secret: string): SigningKey {
  return {
    ofCharacters: createSecretKey(secret, "utf8"),
    ofBytes: createSecretKey(secret, "base64"),
  };
}

export type SignedDelivery = {
  readonly eventId: string;
  readonly eventName: string;
  readonly tenantId: string;
  /** True if a person tests the webhook. */
  readonly isTest?: boolean;
  /** The time of this attempt: receivers refuse old signatures. */
  readonly timestampSeconds: number;
  readonly body: string | Buffer;
  /** The current key first; after a rotation, the former keys that are still valid follow. */
  readonly keys: readonly SigningKey[];
};

export type DeliveryName = Pick<SignedDelivery, "eventId" | "eventName" | "tenantId" | "isTest">;

/** The headers that are the same on every attempt. */
export function lastingHeaders({ eventId, eventName, tenantId, isTest }: DeliveryName) {
  return {
    "content-type": "application/json",
    "user-agent": USER_AGENT,
    "x-service-eventname": eventName,
    "x-service-tenantid": tenantId,
    ...(isTest === true ? { "x-service-test": "true" } : {}),
    "webhook-id": eventId,
  };
}

/**
 * All headers of one attempt. It is signed twice with one secret: the body alone, with the secret's
 * characters as key; and by Standard Webhooks, with the decoded bytes as key.
 */
export function deliveryHeaders(delivery: SignedDelivery): Record<string, string> {
  const { eventId, timestampSeconds, body, keys } = delivery;
  const [current] = keys;
  if (current === undefined) throw new TypeError("A delivery cannot be signed without a secret.");
  // Converted once, because every signature would convert the text again.
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const signedBefore = `${eventId}.${timestampSeconds}.`;
  return {
    ...lastingHeaders(delivery),
    "x-service-signature": createHmac("sha256", current.ofCharacters).update(bytes).digest("hex"),
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": keys.map((key) => standardSignature(key, signedBefore, bytes)).join(" "),
  };
}

function standardSignature(key: SigningKey, signedBefore: string, bytes: Buffer): string {
  const hmac = createHmac("sha256", key.ofBytes);
  return `v1,${hmac.update(signedBefore).update(bytes).digest("base64")}`;
}
