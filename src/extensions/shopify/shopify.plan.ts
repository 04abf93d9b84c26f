import type { TenantContext } from "#kernel/context.ts";
import { type Decimal, ZERO } from "#kernel/decimal.ts";
import type { Identifiers } from "#src/customers/public.ts";
import type { Action } from "../kit/action.ts";
import { type Connection, type Delivery, DeliveryProblem, type Plan } from "../kit/connector.ts";
import type { SettingsOf } from "../kit/connector-file.ts";
import { earnedValue, rateOf, sumOf } from "../kit/earning.ts";
import { type CustomerSource, customerActions } from "../kit/sale-actions.ts";
import { decimalAt, listAt, textAt, timeAt, valueAt } from "../kit/values.ts";
import type { shopifyFile } from "./shopify.config.ts";
import { customerIdOf, orderIdOf } from "./shopify.delivery.ts";
import { receiptOf } from "./shopify.receipt.ts";
import { isTopic } from "./shopify.topics.ts";

type Settings = SettingsOf<(typeof shopifyFile)["members"]>;

const UNINSTALLED =
  "The app was uninstalled in the shop, so Shopify sends nothing any more. Install it again, and save the settings.";

/** What a delivery of Shopify shall bring about. */
export function planShopify(
  _context: TenantContext,
  delivery: Delivery,
  { settings }: Pick<Connection<Settings>, "settings">,
): Plan {
  const { topic, json } = delivery;
  if (!isTopic(topic)) return { ignored: "Nothing is done about this topic." };
  const customerId = customerIdOf(topic, json) ?? "";
  const orderId = orderIdOf(topic, json) ?? "";
  switch (topic) {
    case "customers/create":
    case "customers/update":
      return { actions: customerActions(settings, customerOf(customerId, json)) };
    case "customers/delete":
    case "customers/redact":
      return { actions: [{ do: "erase", identifiers: identifiersOf(customerId) }] };
    case "orders/paid":
      return paidOrder(settings, json, orderId, customerId);
    case "orders/cancelled":
      return cancelledOrder(settings, orderId);
    case "refunds/create":
      return refundedOrder(settings, json, orderId);
    case "customers/data_request":
      return notice(
        `Customer ${customerId} asks for their data: send the owner of the shop what is known of them here.`,
      );
    case "shop/redact":
      return notice(
        "Shopify asks to erase what came from this shop: remove the connector, and erase those customers.",
      );
    case "app/uninstalled":
      return notice(UNINSTALLED);
  }
}

const NOTHING_EARNED: Plan = { ignored: "Orders give nothing by these settings." };

function notice(text: string): Plan {
  return { actions: [{ do: "notice", text }] };
}

function identifiersOf(customerId: string): Identifiers {
  return { "shopify.customerId": customerId };
}

const orderKey = (orderId: string) => `order:${orderId}`;
const receiptKey = (orderId: string) => `receipt:${orderId}`;

const PATHS = { email: "email", phone: "phone", firstName: "first_name", lastName: "last_name" };

function customerOf(customerId: string, from: unknown): CustomerSource {
  return { identifiers: identifiersOf(customerId), from, paths: PATHS };
}

/** An order may arrive before its customer, and tells of the customer as they were at that time. */
function paidOrder(settings: Settings, order: unknown, orderId: string, customerId: string): Plan {
  if (customerId === "") return { ignored: "The order has no customer." };
  const { earn, passType, receipts } = settings;
  const total = decimalAt(order, "total_price");
  if (total === undefined) throw new DeliveryProblem("The order has no total_price.");
  const pass = { identifiers: identifiersOf(customerId), passType };
  const customer = customerOf(customerId, valueAt(order, "customer"));
  const actions = customerActions(settings, customer, { onlyIfMissing: true });
  const occurredAt = timeAt(order, "processed_at") ?? timeAt(order, "created_at");
  const key = orderKey(orderId);
  if (earn !== undefined) {
    const rate = rateOf(earn);
    const value = earnedValue(rate, total);
    const reason = `Order ${textAt(order, "name") ?? orderId}`;
    actions.push({
      do: "movement",
      key,
      pass,
      privilege: earn.privilege,
      value,
      sale: { ...rate, money: total, currency: textAt(order, "currency") },
      reason,
      occurredAt,
    });
  }
  const receipt = receipts === true ? receiptOf(order, orderId, total, occurredAt) : undefined;
  if (receipt !== undefined)
    actions.push({ do: "receipt", key: receiptKey(orderId), pass, receipt });
  return { actions };
}

function cancelledOrder({ earn }: Settings, orderId: string): Plan {
  if (earn === undefined) return NOTHING_EARNED;
  const key = `cancellation:${orderId}`;
  return { actions: [{ do: "reversal", key, of: orderKey(orderId), reason: "Order cancelled" }] };
}

/** Only money that went back counts: a refund may also be of a deposit, or of nothing. */
function refundedOrder({ earn, receipts }: Settings, refund: unknown, orderId: string): Plan {
  const { money, currency } = moneyBack(refund);
  if (money === ZERO) return { ignored: "No money went back." };
  const key = `refund:${textAt(refund, "id")}`;
  const actions: Action[] = [];
  if (earn !== undefined) {
    const refunded = { ...rateOf(earn), money, currency };
    actions.push({ do: "reversal", key, of: orderKey(orderId), refunded, reason: "Refund" });
  }
  if (receipts === true) {
    const at = timeAt(refund, "created_at");
    // Where orders also give value, the reversal has waited for the order.
    const waits = earn === undefined;
    actions.push({
      do: "refund",
      key,
      of: receiptKey(orderId),
      amount: money,
      currency,
      waits,
      at,
    });
  }
  return actions.length === 0 ? NOTHING_EARNED : { actions };
}

type MoneyBack = { readonly money: Decimal; readonly currency: string | undefined };

/** In the currency of the shop, which orders are told in; customers may pay in another one. */
function moneyBack(refund: unknown): MoneyBack {
  const made = listAt(refund, "transactions").filter(
    (transaction) =>
      textAt(transaction, "kind") === "refund" && textAt(transaction, "status") === "success",
  );
  const amounts = made.map((transaction) => {
    const inShop = decimalAt(transaction, "amount_set.shop_money.amount");
    return inShop === undefined
      ? { amount: decimalAt(transaction, "amount"), currency: textAt(transaction, "currency") }
      : {
          amount: inShop,
          currency: textAt(transaction, "amount_set.shop_money.currency_code"),
        };
  });
  const [currency, ...others] = new Set(amounts.flatMap((one) => one.currency ?? []));
  if (others.length > 0) throw new DeliveryProblem("The refund is in several currencies.");
  return { money: sumOf(amounts.flatMap(({ amount }) => amount ?? [])), currency };
}
