import { defineConnector } from "../kit/connector.ts";
import type { JourneyTags } from "../kit/journey.ts";
import { brazeFile } from "./braze.config.ts";

/** Braze has names in braces of their own inside of those of Liquid: `{{${user_id}}}`. */
const own = (name: string) => `\${${name}}`;

const TAGS: JourneyTags = {
  key: `{{campaign.${own("dispatch_id")}}}`,
  identifier: { name: "braze.userId", tag: `{{${own("user_id")}}}` },
  firstName: `{{${own("first_name")} | json_escape}}`,
  points: `{{custom_attribute.${own("points")} | default: ''}}`,
};

export const braze = defineConnector({
  file: brazeFile,
  configFile: new URL("./braze.config.ts", import.meta.url),
  kind: "marketing",
  title: "Braze",
  about:
    "Webhooks of campaigns and Canvases give users a pass, change it, and tell its holder something. They sign in with an API key.",
  secrets: {},
  example: { passType: "loyalty" },
  // Braze tries again after 408, 429 and 5xx, and stops to call hosts that answer slowly: an early 503 is
  // better than a late answer.
  journey: {
    deadlineMs: 4_000,
    tags: TAGS,
  },
});
