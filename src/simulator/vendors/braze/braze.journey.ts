import Type, { type Static } from "typebox";
import type { Verdict } from "../deliveries/delivery.ts";
import { fillIn, namesIn } from "../frame/fill.ts";
import {
  isServerTrouble,
  type JourneyKind,
  signInByKey,
  stepMembers,
  text,
} from "../journeys/journey.ts";

export const CampaignCreate = Type.Object(
  {
    ...stepMembers,
    apiKey: text(),
    /** With Liquid as Braze writes it: `{{${user_id}}}`, `{{custom_attribute.${points}}}`. */
    body: text(20_000),
  },
  { additionalProperties: false },
);
export type CampaignCreate = Static<typeof CampaignCreate>;
type Campaign = Omit<CampaignCreate, "apiKey">;

/** Braze writes `${points}` where others write `points`. */
const OWN_NAME = /\$\{(\w+)\}/g;

/** Of the statuses of 4xx, these alone are tried again. */
const PASSING: readonly (number | null)[] = [408, 429];

/** Webhooks of campaigns and Canvases at Braze. */
export const BRAZE: JourneyKind<typeof CampaignCreate, Campaign> = {
  name: "braze",
  words: { people: "users", steps: "campaigns" },
  rules: {
    deadlineMs: 90_000,
    // Five times in about half an hour, with waits that grow; the vendor does not publish them.
    retryDelaysSeconds: [60, 120, 240, 480, 900],
    judge({ status }): Verdict {
      if (isServerTrouble(status) || PASSING.includes(status)) return "retry";
      return status !== null && status < 300 ? "delivered" : "failed";
    },
  },
  sent: CampaignCreate,
  read: ({ apiKey, ...step }) => ({ secret: apiKey, step }),
  write: ({ id: name, body }, { id, values }, run) => {
    const campaign = { name, dispatch_id: run.id };
    const known = namesIn({ ...values, user_id: id, campaign });
    return fillIn(body.replaceAll(OWN_NAME, "$1"), known);
  },
  sign: signInByKey,
};
