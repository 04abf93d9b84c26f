import Type, { type Static } from "typebox";
import type { Attempt, Verdict } from "../deliveries/delivery.ts";
import { doublingDelays } from "../deliveries/retry.delays.ts";
import { fillIn, namesIn } from "../frame/fill.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import {
  isServerTrouble,
  type JourneyKind,
  type Person,
  type Run,
  signInByKey,
  stepMembers,
  text,
} from "../journeys/journey.ts";
import { signHubspotV2, signHubspotV3 } from "./hubspot.signature.ts";

const Pairs = Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 2_000 }));

export const WorkflowCreate = Type.Object(
  {
    ...stepMembers,
    /** The action "Send a webhook" signs in by a key, or is signed by an app. */
    apiKey: Type.Optional(text()),
    clientSecret: Type.Optional(text()),
    /** The third version if nothing is said; actions of apps are signed by the second. */
    version: Type.Optional(Type.Enum(["v2", "v3"])),
    /** Pairs of the action "Send a webhook", with tokens such as `{{ contact.firstname }}`. */
    body: Type.Optional(Pairs),
    /** Fields of an action of an app, in place of `body`. */
    inputFields: Type.Optional(Pairs),
  },
  { additionalProperties: false },
);
export type WorkflowCreate = Static<typeof WorkflowCreate>;

type Signing = "key" | "v2" | "v3";
type Workflow = Pick<WorkflowCreate, "id" | "url"> & {
  readonly signing: Signing;
  readonly pairs: Static<typeof Pairs>;
  readonly isAction: boolean;
};

const PORTAL_ID = 102_670_506;
const TOO_MANY = 429;

function readWorkflow(sent: WorkflowCreate) {
  const { id, url, apiKey, clientSecret, version = "v3", body, inputFields } = sent;
  const secret = apiKey ?? clientSecret;
  if (secret === undefined || (apiKey !== undefined && clientSecret !== undefined)) {
    throw vendorRefused({ reason: "Give `apiKey` or `clientSecret`." });
  }
  const pairs = body ?? inputFields;
  if (pairs === undefined || (body !== undefined && inputFields !== undefined)) {
    throw vendorRefused({ reason: "Give `body` or `inputFields`." });
  }
  const isAction = inputFields !== undefined;
  if (isAction && apiKey !== undefined) {
    throw vendorRefused({ reason: "Actions of apps are signed: give `clientSecret`." });
  }
  const signing: Signing = apiKey !== undefined ? "key" : isAction ? "v2" : version;
  return { secret, step: { id, url, signing, pairs, isAction } };
}

function writeCall({ id: workflow, pairs, isAction }: Workflow, person: Person, run: Run): string {
  const known = namesIn({ contact: { hs_object_id: person.id, ...person.values } });
  const filled = fillIn(JSON.stringify(pairs), known);
  if (!isAction) return filled;
  return JSON.stringify({
    callbackId: `ap-${PORTAL_ID}-${run.callId}-0`,
    origin: { portalId: PORTAL_ID, actionDefinitionId: 1, actionDefinitionVersion: 1 },
    context: { source: "WORKFLOWS", workflowId: workflow },
    object: { objectId: person.id, objectType: "CONTACT", properties: person.values },
    inputFields: JSON.parse(filled),
  });
}

/** HubSpot reads Retry-After as milliseconds. */
function askedWaitMs({ status, retryAfter }: Attempt): number | undefined {
  if (status !== TOO_MANY || !/^\d{1,9}$/.test(retryAfter ?? "")) return undefined;
  return Number(retryAfter);
}

/** Webhooks and actions of workflows at HubSpot. */
export const HUBSPOT: JourneyKind<typeof WorkflowCreate, Workflow> = {
  name: "hubspot",
  words: { people: "contacts", steps: "workflows" },
  rules: {
    deadlineMs: 30_000,
    // From a minute to eight hours, for three days.
    retryDelaysSeconds: doublingDelays({
      firstSeconds: 60,
      longestSeconds: 28_800,
      totalSeconds: 3 * 86_400,
    }),
    judge({ status }): Verdict {
      if (isServerTrouble(status) || status === TOO_MANY) return "retry";
      if (status !== null && status < 300) return "delivered";
      return status !== null && status >= 400 ? "failed" : "retry";
    },
    askedWaitMs,
  },
  headers: { "User-Agent": "HubSpot Connect 2.0" },
  sent: WorkflowCreate,
  read: readWorkflow,
  write: writeCall,
  signing: ({ signing }) => signing,
  sign: (secret, { url, body, facts }, wall) => {
    if (facts.signing === "key") return signInByKey(secret);
    if (facts.signing === "v2") {
      const signature = signHubspotV2(secret, { url, body });
      return { "X-HubSpot-Signature": signature, "X-HubSpot-Signature-Version": "v2" };
    }
    const atMs = wall.getTime();
    return {
      "X-HubSpot-Signature-v3": signHubspotV3(secret, { url, body }, atMs),
      "X-HubSpot-Request-Timestamp": String(atMs),
    };
  },
};
