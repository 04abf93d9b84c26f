import { defineConnector } from "../kit/connector.ts";
import { verifyHmac } from "../kit/signature.ts";
import { shopifyFile } from "./shopify.config.ts";
import { headerOf, peopleOfShopify, readShopify } from "./shopify.delivery.ts";
import { planShopify } from "./shopify.plan.ts";

export const shopify = defineConnector({
  file: shopifyFile,
  configFile: new URL("./shopify.config.ts", import.meta.url),
  kind: "point-of-sale",
  title: "Shopify",
  about:
    "Customers of a shop get a pass, and paid orders give value to it. Refunds and cancellations take it back, and requests to erase a customer are followed.",
  secrets: {
    clientSecret: {
      key: "SHOPIFY-CLIENTSECRET",
      isRequired: true,
      about: "The client secret of the app, by which Shopify signs what it sends.",
      // Shopify may sign with the old one for an hour after a change.
      overlapHours: 24,
    },
  },
  example: {
    shop: "cafe-lune.myshopify.com",
    passType: "loyalty",
    fields: { firstName: "first_name" },
    earn: { privilege: "points", perUnit: 1 },
    clientSecret: "shpss_1f0c…",
  },
  inbound: {
    verify: (request, { secrets }) =>
      verifyHmac({
        signature: headerOf(request, "hmac-sha256"),
        encoding: "base64",
        secrets: secrets.clientSecret,
        parts: [request.rawBody],
      }),
    read: readShopify,
    people: peopleOfShopify,
    // An order carries all its lines, of about two kilobytes each.
    bodyBytesMax: 1024 * 1024,
    // Eight failures in a row end the subscription at Shopify, so nothing that is signed is refused.
    ack: { stored: 200, duplicate: 200, ignored: 200, unreadable: 200, badSignature: 401 },
    plan: planShopify,
  },
});
