import { type Decimal, decimalFromUnits, unitsOf, ZERO } from "#kernel/decimal.ts";
import type { ReceiptContent } from "../kit/action.ts";
import { productOf, sumOf } from "../kit/earning.ts";
import { decimalAt, listAt, textAt } from "../kit/values.ts";

type Line = ReceiptContent["lines"][number];

/** Undefined if the order does not say in which currency it was paid, or when. */
export function receiptOf(
  order: unknown,
  orderId: string,
  total: Decimal,
  issuedAt: Date | undefined,
): ReceiptContent | undefined {
  const currency = textAt(order, "currency");
  if (currency === undefined || issuedAt === undefined) return undefined;
  const lines = [
    ...listAt(order, "line_items").map(lineOf),
    ...listAt(order, "shipping_lines").flatMap(shippingOf),
  ];
  const number = textAt(order, "name") ?? orderId;
  return { number, issuedAt, currency, total, tax: decimalAt(order, "total_tax"), lines };
}

function lineOf(line: unknown): Line {
  const quantity = decimalAt(line, "quantity") ?? "1";
  const price = decimalAt(line, "price") ?? ZERO;
  const name = textAt(line, "name") ?? textAt(line, "title") ?? "";
  const discount = allocatedTo(line) ?? decimalAt(line, "total_discount") ?? ZERO;
  return { name, quantity, price, total: difference(productOf(quantity, price), discount) };
}

/** Nothing where it costs nothing. */
function shippingOf(line: unknown): Line[] {
  const price = decimalAt(line, "price") ?? ZERO;
  const discount = allocatedTo(line);
  const discounted = discount === undefined ? decimalAt(line, "discounted_price") : undefined;
  const total = discounted ?? difference(price, discount ?? ZERO);
  const name = textAt(line, "title") ?? "Shipping";
  return price === ZERO ? [] : [{ name, quantity: "1", price, total }];
}

/** Discounts of the line, and its part of those of the whole order. Undefined if none are told. */
function allocatedTo(line: unknown): Decimal | undefined {
  const amounts = listAt(line, "discount_allocations").flatMap(
    (allocation) =>
      decimalAt(allocation, "amount_set.shop_money.amount") ??
      decimalAt(allocation, "amount") ??
      [],
  );
  return amounts.length === 0 ? undefined : sumOf(amounts);
}

function difference(amount: Decimal, discount: Decimal): Decimal {
  const rest = unitsOf(amount) - unitsOf(discount);
  return rest < 0n ? ZERO : decimalFromUnits(rest);
}
