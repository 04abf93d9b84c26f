import { createHmac } from "node:crypto";

const USER_AGENT = "Billfold-Webhooks/1";

export type SignedDelivery = {
  readonly eventId: string;
  readonly eventName: string;
  readonly tenantId: string;
  /** Somebody tries out the webhook. */
  readonly isTest?: boolean;
  /** Of this attempt: receivers refuse what was signed long ago. */
  readonly timestampSeconds: number;
  readonly body: string | Buffer;
  /** The current one first; while secrets change, those that still count after it. */
  readonly secrets: readonly string[];
};

export type DeliveryName = Pick<SignedDelivery, "eventId" | "eventName" | "tenantId" | "isTest">;

/** Those that are the same on every attempt. */
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
 * All headers of one attempt. It is signed in two ways with one secret: over the body alone, by the
 * secret's characters, and as Standard Webhooks does it, by the bytes that the characters stand for.
 */
export function deliveryHeaders(delivery: SignedDelivery): Record<string, string> {
  const { eventId, timestampSeconds, body, secrets } = delivery;
  const [current] = secrets;
  if (current === undefined) throw new TypeError("A delivery cannot be signed without a secret.");
  // Text would be turned into bytes again by every signature.
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const signedBefore = `${eventId}.${timestampSeconds}.`;
  return {
    ...lastingHeaders(delivery),
    "x-service-signature": createHmac("sha256", current).update(bytes).digest("hex"),
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": secrets
      .map((secret) => standardSignature(secret, signedBefore, bytes))
      .join(" "),
  };
}

function standardSignature(secret: string, signedBefore: string, bytes: Buffer): string {
  const hmac = createHmac("sha256", Buffer.from(secret, "base64"));
  return `v1,${hmac.update(signedBefore).update(bytes).digest("base64")}`;
}
