import type { EventDefinition } from "../../events/define.ts";
import type { Components } from "./components.ts";
import { asJsonSchema, type JsonObject, pascalCase } from "./json-schema.ts";

const EXAMPLE_EVENT_ID = "evt_0VfQm3Ks00x7Rk2LwPq9Zt";
const EXAMPLE_WILDCARD = "berlin-1";

type DeliveryHeader = {
  readonly name: string;
  readonly description: string;
  /** Default: true, the header is on every delivery. */
  readonly required?: boolean;
};

const DELIVERY_HEADERS: readonly DeliveryHeader[] = [
  {
    name: "X-SERVICE-SIGNATURE",
    description: "Lower-case hex HMAC-SHA256 of the raw body under the subscription's secret.",
  },
  { name: "x-service-eventname", description: "Name of the event." },
  { name: "x-service-tenantid", description: "The tenant it happened in." },
  {
    name: "x-service-test",
    description: "`true` when somebody tries out the webhook; else left out.",
    required: false,
  },
  { name: "webhook-id", description: "Id of the event, the same on every attempt." },
  {
    name: "webhook-timestamp",
    description: "Time of this attempt, in seconds since 1970. Refuse what is five minutes off.",
  },
  {
    name: "webhook-signature",
    description:
      "`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>` under the decoded secret, as Standard Webhooks defines it. While secrets change, one for each of them, separated by spaces; any one is enough.",
  },
];

/** One entry per event, as it is delivered to subscribers. */
export function webhooksOf(events: readonly EventDefinition[], components: Components): JsonObject {
  const sorted = [...events].sort((left, right) => (left.name < right.name ? -1 : 1));
  return Object.fromEntries(
    sorted.map((event) => [event.name, { post: webhookOf(event, components) }] as const),
  );
}

function webhookOf(event: EventDefinition, components: Components): JsonObject {
  const name = `Event${pascalCase(event.name)}`;
  const value = {
    id: EXAMPLE_EVENT_ID,
    event: event.name.replaceAll("*", EXAMPLE_WILDCARD),
    tenantId: "cafe-lune",
    occurredAt: "2026-01-31T09:30:00.000Z",
    environment: "production",
    data: event.example,
  };
  return {
    tags: ["event"],
    operationId: `event.${event.name.replaceAll(/[^a-z0-9]+/g, "-")}`,
    summary: event.name,
    description: event.summary,
    "x-event-version": event.version,
    // Deliveries carry no credential; the receiver checks the signature instead.
    security: [],
    parameters: DELIVERY_HEADERS.map(({ name, description, required = true }) =>
      components.parameter({
        name,
        in: "header",
        required,
        description,
        schema: { type: "string" },
      }),
    ),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: components.add("schemas", name, envelopeOf(event, name, components)),
          examples: { default: components.add("examples", name, { value }) },
        },
      },
    },
    responses: {
      "2XX": { description: "Received. Any other answer, or none, is tried again later." },
    },
  };
}

/** The members that all events have. */
const ENVELOPE = {
  type: "object",
  required: ["id", "event", "tenantId", "occurredAt", "environment", "data"],
  properties: {
    id: { type: "string", description: "The same on every attempt: deliveries can repeat." },
    event: { type: "string", description: "The name of the event." },
    tenantId: { type: "string" },
    occurredAt: { type: "string", format: "date-time" },
    environment: { type: "string", enum: ["staging", "production"] },
    test: {
      type: "boolean",
      description: "True when somebody tries out the webhook: nothing happened.",
    },
    data: { description: "The resource, as it is after the event." },
    previous: {
      type: "object",
      description: "The resource as it was before, where the event is a change.",
      additionalProperties: true,
    },
  },
};

function envelopeOf(event: EventDefinition, name: string, components: Components): JsonObject {
  const own = {
    type: "object",
    properties: {
      event: eventNameSchema(event.name),
      data: components.schemaNamed(`${name}Data`, asJsonSchema(event.payload)),
    },
  };
  return {
    description: event.summary,
    allOf: [components.add("schemas", "EventBase", ENVELOPE), own],
  };
}

function eventNameSchema(name: string): JsonObject {
  if (!name.includes("*")) return { type: "string", const: name };
  const pattern = name.replaceAll(".", "\\.").replaceAll("*", "[^.]+");
  return { type: "string", pattern: `^${pattern}$` };
}
