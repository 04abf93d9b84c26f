import { type Arrival, type Connection, DeliveryProblem, type Reading } from "../kit/connector.ts";
import { textAt, timeAt, valueAt } from "../kit/values.ts";
import { requireShape } from "./shopify.shape.ts";
import { isTopic, TOPICS, type Topic } from "./shopify.topics.ts";

/** A newer family of deliveries repeats the headers under the names of `shopify-*`. */
export function headerOf({ headers }: Pick<Arrival, "headers">, name: string): string | undefined {
  return headers[`x-shopify-${name}`] ?? headers[`shopify-${name}`];
}

/** The id of the customer, wherever the topic has it. */
export function customerIdOf(topic: Topic, body: unknown): string | undefined {
  return TOPICS[topic] === "customer" ? textAt(body, "id") : textAt(body, "customer.id");
}

/** The id of the order, wherever the topic has it. */
export function orderIdOf(topic: Topic, body: unknown): string | undefined {
  return TOPICS[topic] === "refund" ? textAt(body, "order_id") : textAt(body, "id");
}

type Settings = { readonly shop: string };

/**
 * Customers are told of as they are; orders and refunds as what happened to them. All shops that have
 * the same app sign with the same secret: what another one tells asks for nothing here.
 */
export function readShopify(
  arrival: Arrival,
  { settings }: Pick<Connection<Settings>, "settings">,
): Reading | undefined {
  const shop = headerOf(arrival, "shop-domain");
  if (shop !== undefined && shop.toLowerCase() !== settings.shop) return undefined;
  const topic = headerOf(arrival, "topic");
  if (topic === undefined || !isTopic(topic)) return undefined;
  const dedupeKey = headerOf(arrival, "webhook-id");
  if (dedupeKey === undefined) throw new DeliveryProblem("It has no X-Shopify-Webhook-Id.");
  const { json } = arrival;
  if (json === undefined) throw new DeliveryProblem("Its body is no JSON.");
  requireShape(topic, json, settings.shop);
  const triggeredAt = timeAt({ at: headerOf(arrival, "triggered-at") }, "at");
  const subject = subjectOf(topic, json);
  const tells =
    topic === "customers/delete" || topic === "customers/redact"
      ? "gone"
      : TOPICS[topic] === "customer"
        ? "state"
        : undefined;
  return {
    dedupeKey,
    topic,
    subject,
    occurredAt: tells === "state" ? (timeAt(json, "updated_at") ?? triggeredAt) : triggeredAt,
    tells,
  };
}

function subjectOf(topic: Topic, body: unknown): string {
  const kind = TOPICS[topic];
  if (kind === "shop") return "shop=all";
  const isOrder = kind === "order" || kind === "refund";
  const id = isOrder ? orderIdOf(topic, body) : customerIdOf(topic, body);
  if (id === undefined) throw new DeliveryProblem(`It does not say which ${kind} it is about.`);
  return `${isOrder ? "orderId" : "customerId"}=${id}`;
}

/**
 * Orders and requests carry their customer; customers are the whole body. The topic does not matter: it
 * may be wrong, and then the body is still about somebody.
 */
export function peopleOfShopify({ json }: Pick<Arrival, "json">): string[] {
  const isOther = ["line_items", "total_price", "order_id"].some(
    (name) => valueAt(json, name) !== undefined,
  );
  const id = textAt(json, "customer.id") ?? (isOther ? undefined : textAt(json, "id"));
  return id === undefined ? [] : [`customerId=${id}`];
}
