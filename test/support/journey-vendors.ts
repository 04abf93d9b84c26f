import type { Delivery } from "#src/simulator/vendors/deliveries/delivery.ts";
import type { Vendors } from "./vendors.ts";

/** People on journeys of simulated vendors, each of which calls in a form of its own. */

export const ACTIONS = ["createPass", "updatePass", "notifyPass"] as const;
export type JourneyAction = (typeof ACTIONS)[number];
type Values = { readonly firstName: string; readonly tier: string };

export type JourneyVendor = {
  /** What the vendor knows of somebody from now on. */
  know(id: string, values: Values): void;
  /** Lets somebody come to the step with this action. */
  come(action: JourneyAction, id: string): Delivery;
  /** Whether the vendor still calls the step. */
  isOn(action: JourneyAction): boolean;
};

export type Doors = {
  readonly tenantId: string;
  /** Where a step with this action calls. */
  urlOf(action: JourneyAction): string;
  readonly secret: string;
};

/** What `notifyPass` tells. */
export const TOLD = "Your table is ready.";

const only = ([delivery]: readonly Delivery[]): Delivery => {
  if (delivery === undefined) throw new Error("The vendor made no call.");
  return delivery;
};
const stepOf = ({ tenantId }: Doors, action: JourneyAction) => `${tenantId}-${action}`;

type Tags = Readonly<Record<"id" | "firstName" | "tier" | "run", string>>;

/** The members of a call, in the language of the vendor. */
function membersOf(action: JourneyAction, identifier: string, tags: Tags): object {
  const { id, firstName, tier, run } = tags;
  const identifiers = { [identifier]: id };
  if (action === "notifyPass") {
    return { identifiers, idempotencyKey: run, notification: { text: TOLD } };
  }
  const additionalData = { firstName, tier };
  if (action === "updatePass") return { identifiers, additionalData };
  return { identifiers, idempotencyKey: run, passType: "member", additionalData };
}

export function brazeVendor({ braze }: Vendors, doors: Doors): JourneyVendor {
  const tags = {
    id: `{{\${user_id}}}`,
    firstName: `{{\${first_name} | json_escape}}`,
    tier: `{{custom_attribute.\${tier} | default: ''}}`,
    run: `{{campaign.\${dispatch_id}}}`,
  };
  for (const action of ACTIONS) {
    const body = JSON.stringify(membersOf(action, "braze.userId", tags));
    const step = { id: stepOf(doors, action), url: doors.urlOf(action), apiKey: doors.secret };
    braze.createStep({ ...step, body });
  }
  return {
    know: (id, { firstName, tier }) =>
      void braze.putPerson(id, { first_name: firstName, custom_attribute: { tier } }),
    come: (action, id) => only(braze.enter(stepOf(doors, action), [id])),
    isOn: (action) => braze.isOn(stepOf(doors, action)),
  };
}

/** With the settings `BREVO_SETTINGS`, because Brevo sends a form of its own. */
export function brevoVendor({ brevo }: Vendors, doors: Doors): JourneyVendor {
  for (const [at, action] of ACTIONS.entries()) {
    const step = { id: stepOf(doors, action), url: doors.urlOf(action), apiKey: doors.secret };
    brevo.createStep({ ...step, workflowId: 9, stepId: at + 1 });
  }
  return {
    know: (id, { firstName, tier }) =>
      void brevo.putPerson(id, { attributes: { FIRSTNAME: firstName, TIER: tier } }),
    come: (action, id) => only(brevo.enter(stepOf(doors, action), [id])),
    isOn: (action) => brevo.isOn(stepOf(doors, action)),
  };
}
export const BREVO_SETTINGS = {
  fields: { firstName: "attributes.FIRSTNAME", tier: "attributes.TIER" },
  text: TOLD,
};

/** `key` calls with an API key; the others are signed by an app, and name their action in the body. */
export type HubspotWay = "key" | "v3" | "v2" | "action";

export function hubspotVendor({ hubspot }: Vendors, doors: Doors, way: HubspotWay): JourneyVendor {
  for (const action of ACTIONS) {
    const step = { id: stepOf(doors, action), url: doors.urlOf(action) };
    const body = hubspotPairs(action, way);
    const { secret } = doors;
    if (way === "key") hubspot.createStep({ ...step, apiKey: secret, body });
    else if (way === "action") {
      hubspot.createStep({ ...step, clientSecret: secret, inputFields: body });
    } else hubspot.createStep({ ...step, clientSecret: secret, version: way, body });
  }
  return {
    know: (id, { firstName, tier }) => void hubspot.putPerson(id, { firstname: firstName, tier }),
    come: (action, id) => only(hubspot.enter(stepOf(doors, action), [id])),
    isOn: (action) => hubspot.isOn(stepOf(doors, action)),
  };
}

function hubspotPairs(action: JourneyAction, way: HubspotWay): Record<string, string> {
  return {
    ...(way !== "key" && { action }),
    "identifiers.hubspot.contactId": "{{ contact.hs_object_id }}",
    // Actions of apps have an id of each run.
    ...(way !== "action" && action !== "updatePass" && { idempotencyKey: `once-${action}` }),
    ...(action === "notifyPass"
      ? { "notification.text": TOLD }
      : {
          "additionalData.firstName": "{{ contact.firstname }}",
          "additionalData.tier": "{{ contact.tier }}",
        }),
  };
}

/** Customers of a project at Bloomreach who come to webhooks of its scenarios. */
export function scenarioVendor(
  { bloomreach, scenarios }: Vendors,
  doors: Doors,
  project: string,
): JourneyVendor {
  const tags = {
    id: "{{ customer_ids.registered }}",
    firstName: "{{ customer.first_name }}",
    tier: "{{ customer.tier }}",
  };
  for (const action of ACTIONS) {
    const members = membersOf(action, "cdp.registered", { ...tags, run: `once-${action}` });
    const flow = { id: stepOf(doors, action), url: doors.urlOf(action), apiKey: doors.secret };
    scenarios.createFlow({ ...flow, body: JSON.stringify(members) });
  }
  return {
    know: (registered, { firstName, tier }) => {
      const properties = { first_name: firstName, tier };
      bloomreach.putCustomer({ project, customer_ids: { registered }, properties });
    },
    come: (action, registered) => {
      const customer = { project, customer_ids: { registered } };
      return only(scenarios.enterCustomer(stepOf(doors, action), customer));
    },
    isOn: (action) => scenarios.isOn(stepOf(doors, action)),
  };
}
