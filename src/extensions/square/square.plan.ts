import type { TenantContext } from "#kernel/context.ts";
import type { Identifiers } from "#src/customers/public.ts";
import type { Action } from "../kit/action.ts";
import { type Connection, type Delivery, DeliveryProblem, type Plan } from "../kit/connector.ts";
import type { SettingsOf } from "../kit/connector-file.ts";
import { earnedValue, rateOf } from "../kit/earning.ts";
import { customerActions } from "../kit/sale-actions.ts";
import { textAt, timeAt, valueAt } from "../kit/values.ts";
import type { squareFile } from "./square.config.ts";
import { objectPathOf } from "./square.delivery.ts";
import { type Money, moneyAt } from "./square.money.ts";

type Settings = SettingsOf<(typeof squareFile)["members"]>;

const PATHS = {
  email: "email_address",
  phone: "phone_number",
  firstName: "given_name",
  lastName: "family_name",
};

/** What an event of Square shall bring about. */
export function planSquare(
  _context: TenantContext,
  { topic, subject, json }: Delivery,
  { settings }: Pick<Connection<Settings>, "settings">,
): Plan {
  const id = subject.slice(subject.indexOf("=") + 1);
  const object = valueAt(json, objectPathOf(topic));
  switch (topic) {
    case "customer.created":
    case "customer.updated": {
      const source = { identifiers: identifiersOf(id), from: object, paths: PATHS };
      return { actions: customerActions(settings, source) };
    }
    case "customer.deleted":
      return { actions: [{ do: "erase", identifiers: identifiersOf(id) }] };
    case "payment.created":
    case "payment.updated":
      return payment(settings, object, id);
    case "refund.created":
    case "refund.updated":
      return refund(settings, object, id);
    default:
      return { ignored: "Nothing is done about this type of event." };
  }
}

function identifiersOf(customerId: string): Identifiers {
  return { "square.customerId": customerId };
}

const paymentKey = (paymentId: string) => `payment:${paymentId}`;

const receiptKey = (paymentId: string) => `receipt:${paymentId}`;

const UNFINISHED: Plan = { ignored: "It is not completed." };

/** The same payment is told of several times; its key makes it count once. */
function payment(settings: Settings, sent: unknown, paymentId: string): Plan {
  if (textAt(sent, "status") !== "COMPLETED") return UNFINISHED;
  const customerId = textAt(sent, "customer_id");
  if (customerId === undefined) return { ignored: "The payment has no customer." };
  const money = moneyAt(sent, "amount_money");
  if (money === undefined) throw new DeliveryProblem("The payment has no amount_money.");
  const { earn, passType, receipts } = settings;
  const identifiers = identifiersOf(customerId);
  const pass = { identifiers, passType };
  const occurredAt = timeAt(sent, "created_at");
  const number = textAt(sent, "receipt_number") ?? paymentId;
  // An event of a payment tells nothing of its customer but their id.
  const source = { identifiers, from: {}, paths: PATHS };
  const actions = customerActions(settings, source, { onlyIfMissing: true });
  if (earn !== undefined) {
    // Tips are not part of `amount_money`.
    const rate = rateOf(earn);
    const value = earnedValue(rate, money.amount);
    const { privilege } = earn;
    const key = paymentKey(paymentId);
    actions.push({
      do: "movement",
      key,
      pass,
      privilege,
      value,
      sale: { ...rate, money: money.amount, currency: money.currency },
      reason: `Payment ${number}`,
      occurredAt,
    });
  }
  if (receipts === true && occurredAt !== undefined) {
    const total: Money = moneyAt(sent, "total_money") ?? money;
    const receipt = {
      number,
      issuedAt: occurredAt,
      currency: total.currency,
      total: total.amount,
      lines: [],
    };
    actions.push({ do: "receipt", key: receiptKey(paymentId), pass, receipt });
  }
  return { actions };
}

function refund({ earn, receipts }: Settings, sent: unknown, paymentId: string): Plan {
  if (textAt(sent, "status") !== "COMPLETED") return UNFINISHED;
  const money = moneyAt(sent, "amount_money");
  const id = textAt(sent, "id");
  if (money === undefined || id === undefined) {
    throw new DeliveryProblem("The refund has no id or no amount_money.");
  }
  const key = `refund:${id}`;
  const actions: Action[] = [];
  if (earn !== undefined) {
    const refunded = { ...rateOf(earn), money: money.amount, currency: money.currency };
    actions.push({ do: "reversal", key, of: paymentKey(paymentId), refunded, reason: "Refund" });
  }
  if (receipts === true) {
    const at = timeAt(sent, "updated_at") ?? timeAt(sent, "created_at");
    const { amount, currency } = money;
    // Where payments also give value, the reversal has waited for the payment.
    const waits = earn === undefined;
    actions.push({ do: "refund", key, of: receiptKey(paymentId), amount, currency, waits, at });
  }
  return actions.length === 0
    ? { ignored: "Payments give nothing by these settings." }
    : { actions };
}
