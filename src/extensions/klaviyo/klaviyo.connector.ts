import { defineConnector } from "../kit/connector.ts";
import { klaviyoFile } from "./klaviyo.config.ts";

export const klaviyo = defineConnector({
  file: klaviyoFile,
  configFile: new URL("./klaviyo.config.ts", import.meta.url),
  kind: "marketing",
  title: "Klaviyo",
  about:
    "Webhook actions of flows give profiles a pass, change it, and tell its holder something. They sign in with an API key.",
  secrets: {},
  example: { passType: "loyalty" },
  // Klaviyo does not say how long it waits. It tries again after 429, 500, 502 and 503, and skips the
  // profile after anything else.
  journey: {
    deadlineMs: 15_000,
    tags: {
      key: "welcome-2026-03",
      identifier: { name: "klaviyo.email", tag: "{{ email }}" },
      firstName: "{{ first_name|default:'' }}",
      points: "{{ person|lookup:'Points'|default:'' }}",
    },
  },
});
