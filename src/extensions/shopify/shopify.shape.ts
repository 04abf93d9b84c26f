import { isObject } from "#kernel/json.ts";
import { DeliveryProblem } from "../kit/connector.ts";
import { listAt, textAt, valueAt } from "../kit/values.ts";
import { TOPICS, type Topic } from "./shopify.topics.ts";

/**
 * The signature of Shopify covers the body alone: whoever gets hold of the bytes of one delivery could
 * send them again with the topic of another. So a body must look like one of its topic, and above all
 * nothing but a request to erase somebody may erase them.
 */
export function requireShape(topic: Topic, body: unknown, shop: string): void {
  if (!isObject(body)) throw new DeliveryProblem("Its body is no object.");
  if (!isOfKind(topic, body) || !SHAPES[topic](body)) {
    throw new DeliveryProblem(`Its body is not what Shopify sends for ${topic}.`);
  }
  const named = textAt(body, "shop_domain") ?? textAt(body, "myshopify_domain");
  if (named !== undefined && named.toLowerCase() !== shop) {
    throw new DeliveryProblem("Its body is about another shop than its X-Shopify-Shop-Domain.");
  }
}

type Shape = (body: object) => boolean;

const has = (body: object, ...names: readonly string[]): boolean =>
  names.some((name) => (valueAt(body, name) ?? null) !== null);

/** What only orders, drafts of them and checkouts have. */
const isSale: Shape = (body) => has(body, "line_items", "total_price", "customer");
const isPrivacy: Shape = (body) => has(body, "shop_domain", "shop_id");

const isCustomer: Shape = (body) => !(isSale(body) || isPrivacy(body) || has(body, "order_id"));
/** Of somebody who is deleted, an id is left. Whoever is there has a state and times. */
const isDeletedCustomer: Shape = (body) =>
  isCustomer(body) &&
  !has(body, "email", "first_name", "last_name", "state", "created_at", "updated_at");
const isOrder: Shape = (body) => !isPrivacy(body) && !has(body, "order_id");
const isRequest: Shape = (body) =>
  has(body, "customer") && !has(body, "line_items", "total_price", "order_id");
const isShop: Shape = (body) => !isSale(body) && !has(body, "order_id", "first_name", "last_name");

const SHAPES: Readonly<Record<Topic, Shape>> = {
  "customers/create": isCustomer,
  "customers/update": isCustomer,
  "customers/delete": isDeletedCustomer,
  "orders/paid": (body) => isOrder(body) && !isUnpaid(body),
  "orders/cancelled": (body) => isOrder(body) && valueAt(body, "cancelled_at") !== null,
  "refunds/create": (body) => has(body, "order_id") && !isSale(body),
  "customers/redact": (body) => isRequest(body) && !has(body, "data_request", "orders_requested"),
  "customers/data_request": (body) =>
    isRequest(body) && listAt(body, "orders_to_redact").length === 0,
  "shop/redact": isShop,
  "app/uninstalled": isShop,
};

const isUnpaid: Shape = (body) =>
  /^(pending|authorized)$/.test(textAt(body, "financial_status") ?? "");

const GRAPHQL_KINDS = {
  customer: "Customer",
  order: "Order",
  refund: "Refund",
  privacy: undefined,
  shop: "Shop",
} as const;

/** Bodies may have a name of their kind: `gid://shopify/Customer/7`. */
function isOfKind(topic: Topic, body: object): boolean {
  const name = textAt(body, "admin_graphql_api_id");
  const kind = GRAPHQL_KINDS[TOPICS[topic]];
  return name === undefined || (kind !== undefined && name.startsWith(`gid://shopify/${kind}/`));
}
