import { defineConnector, type SignedRequest, type Verdict } from "../kit/connector.ts";
import { journeyInbound } from "../kit/journey-inbound.ts";
import { isRecent, verifyHmac } from "../kit/signature.ts";
import { customerioFile } from "./customerio.config.ts";
import { takeAnyway } from "./customerio.journey.ts";

const WINDOW_SECONDS = 300;

export const customerio = defineConnector({
  file: customerioFile,
  configFile: new URL("./customerio.config.ts", import.meta.url),
  kind: "marketing",
  title: "Customer.io",
  about:
    "Webhook actions of campaigns give people a pass, change it, and tell its holder something. They are signed, or sign in with an API key.",
  secrets: {
    signingKey: {
      key: "CUSTOMERIO-SIGNINGKEY",
      isRequired: false,
      about: "The webhook signing key of the workspace. Not needed for calls with an API key.",
      overlapHours: 24,
    },
  },
  example: { passType: "loyalty", signingKey: "5ba7d9307183…" },
  inbound: journeyInbound({
    name: "customerio",
    verify: (request, { secrets }) => verifyCustomerio(request, secrets.signingKey ?? []),
    stampOf: (headers) => headers["x-cio-timestamp"],
  }),
  // Customer.io waits for four seconds, and holds back later calls until one got through.
  journey: {
    deadlineMs: 3_200,
    translate: takeAnyway,
    tags: {
      key: "{{campaign.id}}-{{message.id}}",
      identifier: { name: "customerio.id", tag: "{{customer.id}}" },
      firstName: "{{customer.first_name}}",
      points: "{{customer.points}}",
    },
  },
});

function verifyCustomerio(
  { headers, rawBody, now }: SignedRequest,
  secrets: readonly string[],
): Verdict {
  const timestamp = headers["x-cio-timestamp"] ?? "";
  if (!isRecent(timestamp, now, WINDOW_SECONDS * 1_000, 1_000)) {
    return { ok: false, reason: "it is too old" };
  }
  const signature = headers["x-cio-signature"];
  const parts = [`v0:${timestamp}:`, rawBody];
  return verifyHmac({ signature, encoding: "hex", secrets, parts });
}
