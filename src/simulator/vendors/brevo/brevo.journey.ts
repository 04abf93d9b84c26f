import Type, { type Static } from "typebox";
import type { Verdict } from "../deliveries/delivery.ts";
import {
  isServerTrouble,
  type JourneyKind,
  signInByKey,
  stepMembers,
  text,
} from "../journeys/journey.ts";

const count = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }));

export const AutomationCreate = Type.Object(
  { ...stepMembers, apiKey: text(), workflowId: count, stepId: count },
  { additionalProperties: false },
);
export type AutomationCreate = Static<typeof AutomationCreate>;
type Automation = Required<Omit<AutomationCreate, "apiKey">>;

const HOUR_SECONDS = 3_600;
const TOO_MANY = 429;

/** The step "Call a webhook" of automations at Brevo, whose body nobody can choose. */
export const BREVO: JourneyKind<typeof AutomationCreate, Automation> = {
  name: "brevo",
  words: { people: "contacts", steps: "automations" },
  rules: {
    // The vendor does not say how long it waits.
    deadlineMs: 30_000,
    retryDelaysSeconds: [600, HOUR_SECONDS, 2 * HOUR_SECONDS, 8 * HOUR_SECONDS],
    // The vendor's page can also be read so that a 5xx is not tried again; 429 is in any case.
    judge({ status }): Verdict {
      if (isServerTrouble(status) || status === TOO_MANY) return "retry";
      return status !== null && status < 300 ? "delivered" : "failed";
    },
  },
  sent: AutomationCreate,
  read: ({ apiKey, workflowId = 1, stepId = 1, ...step }) => {
    return { secret: apiKey, step: { ...step, workflowId, stepId } };
  },
  write: ({ workflowId, stepId }, { id, values }) =>
    JSON.stringify({
      appName: "workflow-action-processor",
      attributes: {},
      ...values,
      contact_id: /^\d{1,15}$/.test(id) ? Number(id) : id,
      step_id: stepId,
      workflow_id: workflowId,
    }),
  sign: signInByKey,
};
