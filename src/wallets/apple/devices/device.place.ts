import { createHash } from "node:crypto";

/** 24 bits tell the few devices of a pass apart, and are far too few to lead back to an address. */
const LENGTH = 4;

/** Where a request comes from, as far as it helps to recognise the next request of the same device. */
export function placeOf(ip: string, userAgent: string | undefined): string {
  const text = `${ip}\n${userAgent ?? ""}`;
  return createHash("sha256").update(text).digest("base64url").slice(0, LENGTH);
}
