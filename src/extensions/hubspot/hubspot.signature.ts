import type { SignedRequest, Verdict } from "../kit/connector.ts";
import { isRecent, verifyDigest, verifyHmac } from "../kit/signature.ts";

const WINDOW_MS = 300_000;

/**
 * The third version of HubSpot's signature where there is one, else the second, which actions of
 * workflows have. The first leaves out the address, and is never taken.
 */
export function verifyHubspot(
  { method, publicUrl, headers, rawBody, now }: SignedRequest,
  secrets: readonly string[],
): Verdict {
  const third = headers["x-hubspot-signature-v3"];
  if (third !== undefined) {
    const timestamp = headers["x-hubspot-request-timestamp"] ?? "";
    if (!isRecent(timestamp, now, WINDOW_MS)) return { ok: false, reason: "it is too old" };
    const parts = [method, publicUrl, rawBody, timestamp];
    return verifyHmac({ signature: third, encoding: "base64", secrets, parts });
  }
  if (headers["x-hubspot-signature-version"] === "v1") {
    return { ok: false, reason: "the first version of the signature" };
  }
  const signature = headers["x-hubspot-signature"];
  return verifyDigest({ signature, secrets, parts: [method, publicUrl, rawBody] });
}
