import { type Arrival, type Connection, DeliveryProblem, type Reading } from "../kit/connector.ts";
import { textAt, timeAt } from "../kit/values.ts";

/** Which object each type of event carries; Square sends more, which ask for nothing. */
const TYPES = {
  "customer.created": "customer",
  "customer.updated": "customer",
  "customer.deleted": "customer",
  "payment.created": "payment",
  "payment.updated": "payment",
  "refund.created": "refund",
  "refund.updated": "refund",
} as const;
type EventType = keyof typeof TYPES;

function isEventType(type: string): type is EventType {
  return Object.hasOwn(TYPES, type);
}

/** The object that an event of Square carries, such as `data.object.payment`. */
export function objectPathOf(type: string): string {
  return `data.object.${isEventType(type) ? TYPES[type] : "none"}`;
}

type Settings = { readonly merchantId: string };

/**
 * Payments and refunds are told of when they are made and at each change, in any order. All events of
 * a payment and of its refunds have the payment as subject.
 */
export function readSquare(
  { json }: Pick<Arrival, "json">,
  { settings }: Pick<Connection<Settings>, "settings">,
): Reading | undefined {
  if (json === undefined) throw new DeliveryProblem("Its body is no JSON.");
  const topic = textAt(json, "type");
  if (topic === undefined || !isEventType(topic)) return undefined;
  // An application tells of all its sellers at the same address.
  const merchantId = textAt(json, "merchant_id");
  if (merchantId !== undefined && merchantId !== settings.merchantId) return undefined;
  const dedupeKey = textAt(json, "event_id");
  if (dedupeKey === undefined) throw new DeliveryProblem("It has no event_id.");
  if (merchantId === undefined) throw new DeliveryProblem("It has no merchant_id.");
  const createdAt = timeAt(json, "created_at");
  const kind = TYPES[topic];
  const object = objectPathOf(topic);
  const [name, id] =
    kind === "customer"
      ? ["customerId", textAt(json, `${object}.id`) ?? textAt(json, "data.id")]
      : kind === "payment"
        ? ["paymentId", textAt(json, `${object}.id`)]
        : ["paymentId", textAt(json, `${object}.payment_id`)];
  if (id === undefined) throw new DeliveryProblem(`It does not say which ${kind} it is about.`);
  const isGone = topic === "customer.deleted";
  const updatedAt = isGone ? undefined : timeAt(json, `${object}.updated_at`);
  return {
    dedupeKey,
    topic,
    subject: `${name}=${id}`,
    occurredAt: updatedAt ?? createdAt,
    tells: isGone ? "gone" : kind === "customer" ? "state" : undefined,
  };
}

/** Payments name their customer; refunds do not. */
export function peopleOfSquare({ json }: Pick<Arrival, "json">): string[] {
  const id =
    textAt(json, "data.object.customer.id") ??
    textAt(json, "data.object.payment.customer_id") ??
    (textAt(json, "data.type") === "customer" ? textAt(json, "data.id") : undefined);
  return id === undefined ? [] : [`customerId=${id}`];
}
