import { defineConnector } from "../kit/connector.ts";
import { accountOf } from "./pretix.account.ts";
import { pretixFile } from "./pretix.config.ts";
import { readPretixWebhook } from "./pretix.delivery.ts";
import { pretixCatchUp } from "./pretix-catch-up.service.ts";
import { checkPretix } from "./pretix-check.service.ts";
import { pretixOutbound } from "./pretix-outbound.service.ts";
import { planPretix } from "./pretix-plan.service.ts";

export const pretix = defineConnector({
  file: pretixFile,
  configFile: new URL("./pretix.config.ts", import.meta.url),
  kind: "ticketing",
  title: "pretix",
  about:
    "Paid tickets become passes that follow their order: changed, cancelled, refunded, checked in. A look at all orders every night finds what was not told.",
  secrets: {
    apiToken: {
      key: "PRETIX-APITOKEN",
      isRequired: true,
      about: "The API token of a team that may see orders.",
    },
  },
  example: {
    baseUrl: "https://pretix.eu",
    organizer: "harbour",
    passType: "ticket",
    fields: { holder: "attendee_name", barcode: "secret" },
    checkedInAs: "checkedInAt",
    apiToken: "e1l6gq2y…",
  },
  origin: ({ baseUrl }) => new URL(baseUrl).origin,
  account: accountOf,
  check: checkPretix,
  inbound: {
    // pretix signs nothing: the address is the secret, and nothing but the order's name is believed.
    verify: (_request, { secrets }) =>
      secrets.apiToken.length === 0 ? { ok: false, reason: "no token is stored" } : { ok: true },
    read: readPretixWebhook,
    // pretix tries for three days what is refused, and again what it cannot know to be of no use.
    ack: { stored: 200, duplicate: 200, ignored: 200, unreadable: 200, badSignature: 401 },
    plan: planPretix,
  },
  catchUp: pretixCatchUp,
  outbound: pretixOutbound,
});
