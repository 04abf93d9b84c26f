import sharp from "sharp";
import type { PassLinks } from "#src/passes/public.ts";
import type { TestApi } from "./start-api.ts";

/** Tenants with pass types that are as plain as can be. */

const ICON = await sharp({ create: { width: 87, height: 87, channels: 3, background: "#1f2a44" } })
  .png()
  .toBuffer();

const HEAD = `organization: Harbour Club
description: Card of the Harbour Club
colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}" }
`;

/** `loyalty`: `loyalty.number` is required and unique, `firstName` is required. */
const LOYALTY = `kind: loyalty
name: Harbour Card
${HEAD}identifiers: { required: [loyalty.number], unique: [loyalty.number, crm.id] }
data:
  type: object
  required: [firstName]
  properties:
    firstName: { type: string, maxLength: 60 }
    points: { type: integer, minimum: 0 }
    tier: { type: string, enum: [Deck, Bridge] }
fields:
  primary: [ { key: name, label: Member, value: "{{ data.firstName }}" } ]
privileges: [ { id: points, name: Points, type: MultiUse, value: 0 } ]
expiration: { after: P2Y }
`;

/** `coupon`: anything goes, and it lasts as long as its data says. */
const COUPON = `kind: coupon
name: Harbour Coupon
${HEAD}fields:
  primary: [ { key: offer, label: Offer, value: "{{ data.offer }}" } ]
expiration: { at: "{{ data.validUntil }}" }
`;

export const PASS_FILES: Readonly<Record<string, string | { base64: string }>> = {
  "server/passes/loyalty.yml": LOYALTY,
  "server/passes/coupon.yml": COUPON,
  "images/icon.png": { base64: ICON.toString("base64") },
};

/** Gives a tenant those types; makes it if it is not there. */
export async function seedPassTenant(
  api: Pick<TestApi, "put" | "operatorKey">,
  tenantId: string,
  more: Readonly<Record<string, string | { base64: string }>> = {},
): Promise<void> {
  const files = { "tenant.yml": `name: ${tenantId}\n`, ...PASS_FILES, ...more };
  const { status, text } = await api.put(`/api/tenants/${tenantId}`, {
    key: api.operatorKey,
    body: { files },
  });
  if (status > 201) throw new Error(`Tenant not seeded: ${text}`);
}

let count = 0;

/** A loyalty pass; the number is new each time unless it is given. */
export async function seedPass(
  api: Pick<TestApi, "post" | "operatorKey">,
  tenantId: string,
  more: { identifiers?: Record<string, string>; additionalData?: Record<string, unknown> } = {},
): Promise<{ id: string; version: number; secret: string; links: PassLinks }> {
  count += 1;
  const { status, body, text } = await api.post(`/api/${tenantId}/passes?passType=loyalty`, {
    key: api.operatorKey,
    body: {
      identifiers: { "loyalty.number": `N${count}`, ...more.identifiers },
      additionalData: { firstName: "Camille", ...more.additionalData },
    },
  });
  if (status !== 201) throw new Error(`Pass not seeded: ${text}`);
  return body;
}
