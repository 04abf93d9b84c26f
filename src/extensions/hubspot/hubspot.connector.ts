import { ProblemError } from "#kernel/errors.ts";
import { defineConnector } from "../kit/connector.ts";
import { journeyInbound, unwrapMember } from "../kit/journey-inbound.ts";
import { hubspotFile } from "./hubspot.config.ts";
import { verifyHubspot } from "./hubspot.signature.ts";

/** Actions of apps have an envelope, with an id of each run. */
const unwrap = unwrapMember("inputFields", "callbackId");

export const hubspot = defineConnector({
  file: hubspotFile,
  configFile: new URL("./hubspot.config.ts", import.meta.url),
  kind: "marketing",
  title: "HubSpot",
  about:
    "Webhooks and actions of workflows give contacts a pass, change it, and tell its holder something. They sign in with an API key, or are signed by an app.",
  secrets: {
    clientSecret: {
      key: "HUBSPOT-CLIENTSECRET",
      isRequired: false,
      about: "The client secret of the app that signs calls. Not needed for calls with an API key.",
      overlapHours: 24,
    },
  },
  example: { passType: "loyalty", clientSecret: "yyyyyyyy-yyyy-…" },
  inbound: journeyInbound({
    name: "hubspot",
    verify: (request, { settings, secrets }) => {
      const { notificationUrl } = settings as { readonly notificationUrl?: string };
      const publicUrl = notificationUrl ?? request.publicUrl;
      return verifyHubspot({ ...request, publicUrl }, secrets.clientSecret ?? []);
    },
    // Only the third version of the signature covers the time.
    stampOf: (headers) =>
      headers["x-hubspot-signature-v3"] && headers["x-hubspot-request-timestamp"],
    unwrap,
  }),
  // HubSpot waits for 30 seconds. It never tries again after a 4xx, except 429.
  journey: { deadlineMs: 25_000, unwrap, translate: waitInMilliseconds },
});

/** HubSpot takes the seconds of Retry-After for milliseconds. */
function waitInMilliseconds(problem: ProblemError): ProblemError {
  const seconds = Number(problem.headers["retry-after"]);
  if (problem.status !== 429 || !Number.isInteger(seconds)) return problem;
  const headers = { ...problem.headers, "retry-after": String(seconds * 1_000) };
  const { code, status, title, message: detail, members } = problem;
  return new ProblemError({ code, status, title, detail, members, headers });
}
