import { createHash, createHmac } from "node:crypto";

type Signed = { readonly url: string; readonly body: string };

/** The third version, in base64: the method, the address, the body and the time in milliseconds. */
export function signHubspotV3(secret: string, { url, body }: Signed, atMs: number): string {
  return createHmac("sha256", secret).update(`POST${url}${body}${atMs}`, "utf8").digest("base64");
}

/** The second version, in hex: a plain hash that begins with the secret. */
export function signHubspotV2(secret: string, { url, body }: Signed): string {
  return createHash("sha256").update(`${secret}POST${url}${body}`, "utf8").digest("hex");
}
