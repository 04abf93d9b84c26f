import { type Arrival, DeliveryProblem, type Reading } from "../kit/connector.ts";
import { textAt, timeAt } from "../kit/values.ts";

/** Topics that carry the customer as they are; LoyaltyLion sends more, which ask for nothing. */
const CUSTOMER_TOPICS: readonly string[] = [
  "customers/create",
  "customers/update",
  "program_events/customer.tier_upgraded",
  "program_events/customer.tier_downgraded",
];

export function readLoyaltyLion({ json }: Pick<Arrival, "json">): Reading | undefined {
  if (json === undefined) throw new DeliveryProblem("Its body is no JSON.");
  const topic = textAt(json, "topic");
  if (topic === undefined || !CUSTOMER_TOPICS.includes(topic)) return undefined;
  const dedupeKey = textAt(json, "id");
  if (dedupeKey === undefined) throw new DeliveryProblem("It has no id.");
  const customerId = textAt(json, "customer.id");
  if (customerId === undefined) {
    throw new DeliveryProblem("It does not say which customer it is about.");
  }
  return {
    dedupeKey,
    topic,
    subject: `customerId=${customerId}`,
    occurredAt: timeAt(json, "customer.updated_at") ?? timeAt(json, "created_at"),
    tells: "state",
  };
}

export function peopleOfLoyaltyLion({ json }: Pick<Arrival, "json">): string[] {
  const id = textAt(json, "customer.id");
  return id === undefined ? [] : [`customerId=${id}`];
}
