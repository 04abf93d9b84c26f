import { defineConnector } from "../kit/connector.ts";
import { brevoFile } from "./brevo.config.ts";
import { unwrapBrevo } from "./brevo.webhook.ts";

export const brevo = defineConnector({
  file: brevoFile,
  configFile: new URL("./brevo.config.ts", import.meta.url),
  kind: "marketing",
  title: "Brevo",
  about:
    "Webhook steps of automations give contacts a pass, change it, and tell its holder something. They sign in with an API key.",
  secrets: {},
  example: { passType: "loyalty", fields: { firstName: "attributes.FIRSTNAME" } },
  // Brevo does not say how long it waits. It tries again after a 429; of 5xx its words can be read both ways.
  journey: { deadlineMs: 15_000, unwrap: unwrapBrevo },
});
