/** Which kind of thing each topic is about; Shopify may send more, which ask for nothing. */
export const TOPICS = {
  "customers/create": "customer",
  "customers/update": "customer",
  "customers/delete": "customer",
  "orders/paid": "order",
  "orders/cancelled": "order",
  "refunds/create": "refund",
  "customers/redact": "privacy",
  "customers/data_request": "privacy",
  "shop/redact": "shop",
  "app/uninstalled": "shop",
} as const;

export type Topic = keyof typeof TOPICS;

export function isTopic(topic: string): topic is Topic {
  return Object.hasOwn(TOPICS, topic);
}
