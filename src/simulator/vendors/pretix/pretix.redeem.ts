import type { VendorAnswer } from "../frame/vendor.server.ts";
import { type Order, type Position, presentPosition } from "./pretix.orders.ts";
import type { Redeem } from "./pretix.schema.ts";

type Meant = { readonly order: Order; readonly position: Position };

const refuse = (reason: string, status = 200): VendorAnswer => {
  const more = { reason_explanation: null, require_attention: false, checkin_texts: [] };
  return { status, body: { status: "error", reason, ...more } };
};

/**
 * Checks somebody in by the secret of their ticket. The same `nonce` twice is one check-in; another
 * one for a ticket that was used on the list is refused.
 */
export function redeem(
  orders: readonly Order[],
  { secret, lists, nonce }: Redeem,
  checkIn: (meant: Meant, list: number) => Order,
): VendorAnswer {
  const meant = orders
    .flatMap((order) => order.positions.map((position) => ({ order, position })))
    .find(({ position }) => position.secret === secret);
  if (meant === undefined) return refuse("invalid", 404);
  const { order, position } = meant;
  if (position.isCanceled || order.status === "c" || order.status === "e") {
    return refuse("canceled");
  }
  if (order.status === "n") return refuse(order.requireApproval ? "unapproved" : "unpaid");
  const list = lists[0] ?? 1;
  const used = position.checkins.find((one) => one.list === list && one.type === "entry");
  const isAgain = used !== undefined && nonce !== undefined && used.nonce === nonce;
  if (used !== undefined && !isAgain) return refuse("already_redeemed");
  const after = isAgain ? order : checkIn(meant, list);
  const now = after.positions.find(({ id }) => id === position.id) ?? position;
  return {
    status: 201,
    body: { status: "ok", position: presentPosition(now, after), require_attention: false },
  };
}
