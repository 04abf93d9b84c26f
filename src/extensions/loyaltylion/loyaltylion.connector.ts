import { defineConnector } from "../kit/connector.ts";
import { verifyHmac } from "../kit/signature.ts";
import { loyaltylionFile } from "./loyaltylion.config.ts";
import { peopleOfLoyaltyLion, readLoyaltyLion } from "./loyaltylion.delivery.ts";
import { planLoyaltyLion } from "./loyaltylion.plan.ts";

export const loyaltylion = defineConnector({
  file: loyaltylionFile,
  configFile: new URL("./loyaltylion.config.ts", import.meta.url),
  kind: "point-of-sale",
  title: "LoyaltyLion",
  about:
    "Members of a programme get a pass that shows their approved points and their tier, as soon as they change.",
  secrets: {
    signingSecret: {
      key: "LOYALTYLION-SIGNINGSECRET",
      isRequired: true,
      about: "The client secret of the OAuth app, or the secret of the site where there is no app.",
      overlapHours: 24,
    },
  },
  example: {
    passType: "loyalty",
    points: "points",
    fields: { tier: "loyalty_tier_membership.loyalty_tier.name" },
    signingSecret: "site-secret",
  },
  inbound: {
    verify: ({ headers, rawBody }, { secrets }) =>
      verifyHmac({
        signature: headers["x-loyaltylion-hmac-sha256"],
        encoding: "base64",
        secrets: secrets.signingSecret,
        parts: [rawBody],
      }),
    read: readLoyaltyLion,
    people: peopleOfLoyaltyLion,
    // After some failures LoyaltyLion removes the subscription, so nothing that is signed is refused.
    ack: { stored: 200, duplicate: 200, ignored: 200, unreadable: 200, badSignature: 401 },
    plan: planLoyaltyLion,
  },
});
