import { createHmac } from "node:crypto";

/** What stands in `X-Shopify-Hmac-SHA256`: the HMAC of the bytes that are sent, in base64. */
export function signShopify(clientSecret: string, body: string): string {
  return createHmac("sha256", clientSecret).update(body, "utf8").digest("base64");
}
