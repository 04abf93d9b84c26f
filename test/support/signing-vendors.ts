import { createHmac, randomUUID } from "node:crypto";
import type { ApiResponse } from "./client.ts";
import { PASS_FILES, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/** Vendors that sign any bytes, whether they are JSON or not. */

export const SIGNING_VENDORS = ["shopify", "square", "loyaltylion"] as const;
export type SigningVendor = (typeof SIGNING_VENDORS)[number];

const SECRET = "hush-of-the-vendor";
const MERCHANT = "MLEFBHHSJGVHD";

const SETTINGS = {
  shopify: { shop: "cafe-lune.myshopify.com", clientSecret: SECRET, fields: { firstName: "name" } },
  square: { merchantId: MERCHANT, signatureKey: SECRET, fields: { firstName: "name" } },
  loyaltylion: { signingSecret: SECRET, fields: { firstName: "name" } },
} as const;

/** The text of a delivery about a customer, with more members in it, written as they are. */
export function customerText(vendor: SigningVendor, id: string, more = ""): string {
  const customer = `{"id":${JSON.stringify(id)}${more === "" ? "" : `,${more}`}}`;
  const event = JSON.stringify(randomUUID());
  if (vendor === "shopify") return customer;
  if (vendor === "loyaltylion") {
    return `{"id":${event},"topic":"customers/update","customer":${customer}}`;
  }
  return `{"event_id":${event},"type":"customer.updated","merchant_id":"${MERCHANT}","data":{"object":{"customer":${customer}}}}`;
}

function templateOf(vendor: SigningVendor): string {
  return String(PASS_FILES["server/passes/loyalty.yml"])
    .replace(/^identifiers:.*$/m, `identifiers: { unique: [${vendor}.customerId] }`)
    .replace("required: [firstName]", "required: []");
}

/** A tenant that is connected to all of them. */
export async function openSigningVendors(api: TestApi, tenantId: string) {
  const key = api.operatorKey;
  const templates = SIGNING_VENDORS.map(
    (vendor) => [`server/passes/${vendor}.yml`, templateOf(vendor)] as const,
  );
  await seedPassTenant(api, tenantId, Object.fromEntries(templates));
  const urls = new Map<SigningVendor, string>();
  for (const vendor of SIGNING_VENDORS) {
    const path = `/api/${tenantId}/admin/extensions/${vendor}`;
    const saved = await api.put(path, { key, body: { ...SETTINGS[vendor], passType: vendor } });
    if (saved.status !== 204) throw new Error(`No settings: ${saved.status} ${saved.text}`);
    urls.set(vendor, String((await api.get(path, { key })).body.webhookUrl));
  }

  const send = (
    vendor: SigningVendor,
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> => {
    const url = urls.get(vendor) ?? "";
    const rawBody = Buffer.from(body);
    const mac = createHmac("sha256", SECRET);
    if (vendor === "square") mac.update(url);
    const signature = mac.update(rawBody).digest("base64");
    return api.post(new URL(url).pathname, {
      rawBody,
      headers: {
        "content-type": "application/json",
        "x-shopify-topic": "customers/update",
        "x-shopify-shop-domain": SETTINGS.shopify.shop,
        "x-shopify-webhook-id": randomUUID(),
        "x-shopify-hmac-sha256": signature,
        "x-square-hmacsha256-signature": signature,
        "x-loyaltylion-hmac-sha256": signature,
        ...headers,
      },
    });
  };

  return {
    send,
    inboxOf: (vendor: SigningVendor) => `/api/${tenantId}/admin/extensions/${vendor}/inbox`,
    deliveries: () =>
      api.sql("select * from inbound_delivery where tenant_id = $1 order by id", [tenantId]),
    names: async () => {
      const rows = await api.sql(
        "select data ->> 'firstName' as name from pass where tenant_id = $1 order by 1",
        [tenantId],
      );
      return rows.map(({ name }) => name);
    },
  };
}
