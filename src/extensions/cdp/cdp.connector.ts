import { defineConnector } from "../kit/connector.ts";
import { cdpFile } from "./cdp.config.ts";
import { failOnlyOne } from "./cdp.journey.ts";
import { readAttributes } from "./cdp-attributes.service.ts";
import { checkCdp } from "./cdp-check.service.ts";
import { cdpOutbound } from "./cdp-outbound.service.ts";

export const cdp = defineConnector({
  file: cdpFile,
  configFile: new URL("./cdp.config.ts", import.meta.url),
  kind: "customer-data",
  title: "Bloomreach Engagement",
  about:
    "Tells the customer-data platform what happens to passes, and shows what it knows of customers on their passes. Webhooks of scenarios give customers a pass, change it, and tell its holder something.",
  secrets: {
    apiKeySecret: {
      key: "CDP-APIKEYSECRET",
      isRequired: true,
      about: "The secret of the API key.",
    },
  },
  isSpecified: true,
  example: {
    projectToken: "1f4d3f3a-5b0e-11ee-8c99-0242ac120002",
    baseUrl: "https://api.exponea.com",
    apiKeyId: "vx3bfp9e1m0o",
    apiKeySecret: "0s1kq8z5…",
    cache: { customer: { ttlSeconds: 300, attributes: ["first_name", "language"] } },
  },
  origin: ({ baseUrl }) => new URL(baseUrl).origin,
  check: checkCdp,
  metadata: readAttributes,
  outbound: cdpOutbound,
  // Webhooks of scenarios wait for a second.
  journey: {
    deadlineMs: 800,
    translate: failOnlyOne,
    tags: {
      key: "welcome-2026-03",
      identifier: { name: "cdp.registered", tag: "{{ customer_ids.registered }}" },
      firstName: "{{ customer.first_name }}",
      points: "{{ customer.points }}",
    },
  },
});
