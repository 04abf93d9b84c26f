import type { OrderCreate } from "./shopify.schema.ts";

export type Shop = {
  readonly domain: string;
  readonly clientSecret: string;
  readonly currency: string;
  readonly id: number;
};

export type Customer = {
  readonly id: number;
  readonly shop: string;
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly phone: string | null;
  readonly tags: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type Refund = {
  readonly id: number;
  readonly amountCents: number;
  readonly createdAt: string;
};

export type Order = {
  readonly id: number;
  readonly number: number;
  readonly shop: string;
  readonly customer: number | null;
  readonly lines: readonly (OrderCreate["lines"][number] & { readonly id: number })[];
  readonly totalCents: number;
  readonly createdAt: string;
  readonly refunds: readonly Refund[];
  readonly paidAt: string | null;
  readonly cancelledAt: string | null;
  readonly updatedAt: string;
};

export const centsOf = (amount: string): number => {
  const [whole = "0", part = ""] = amount.split(".");
  return Number(whole) * 100 + Number(part.padEnd(2, "0"));
};
export const amountOf = (cents: number): string =>
  `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;

export const refundedCents = ({ refunds }: Order): number =>
  refunds.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** A customer as the topics `customers/*` carry it. */
export function customerPayload({ shop: _, ...customer }: Customer): object {
  return {
    ...customer,
    note: null,
    verified_email: true,
    multipass_identifier: null,
    tax_exempt: false,
    state: "enabled",
    currency: "EUR",
    addresses: [],
    admin_graphql_api_id: `gid://shopify/Customer/${customer.id}`,
  };
}

/** An order as the topics `orders/*` carry it. */
export function orderPayload(order: Order, shop: Shop, customer: Customer | undefined): object {
  const total = amountOf(order.totalCents);
  return {
    id: order.id,
    admin_graphql_api_id: `gid://shopify/Order/${order.id}`,
    name: `#${order.number}`,
    order_number: order.number,
    email: customer?.email ?? null,
    currency: shop.currency,
    created_at: order.createdAt,
    processed_at: order.createdAt,
    updated_at: order.updatedAt,
    cancelled_at: order.cancelledAt,
    cancel_reason: order.cancelledAt === null ? null : "customer",
    financial_status: financialStatus(order),
    subtotal_price: total,
    total_price: total,
    current_total_price: amountOf(order.totalCents - refundedCents(order)),
    total_tax: "0.00",
    total_discounts: "0.00",
    test: true,
    customer: customer === undefined ? null : customerPayload(customer),
    line_items: order.lines.map(linePayload),
    refunds: order.refunds.map((refund) => refundPayload(refund, order, shop)),
  };
}

/** A refund as the topic `refunds/create` carries it. */
export function refundPayload(
  { id, amountCents, createdAt }: Refund,
  order: Order,
  { currency }: Shop,
): object {
  const amount = amountOf(amountCents);
  return {
    id,
    order_id: order.id,
    created_at: createdAt,
    processed_at: createdAt,
    note: null,
    restock: false,
    admin_graphql_api_id: `gid://shopify/Refund/${id}`,
    refund_line_items: [],
    order_adjustments: [],
    transactions: [
      {
        id: id + 1,
        order_id: order.id,
        kind: "refund",
        status: "success",
        gateway: "bogus",
        amount,
        currency,
        created_at: createdAt,
        test: true,
      },
    ],
  };
}

function linePayload({ id, title, price, quantity = 1, sku }: Order["lines"][number]): object {
  return {
    id,
    title,
    name: title,
    price: amountOf(centsOf(price)),
    quantity,
    sku: sku ?? "",
    total_discount: "0.00",
    taxable: true,
    gift_card: false,
  };
}

function financialStatus(order: Order): string {
  if (order.paidAt === null) return order.cancelledAt === null ? "pending" : "voided";
  const refunded = refundedCents(order);
  if (refunded === 0) return "paid";
  return refunded >= order.totalCents ? "refunded" : "partially_refunded";
}
