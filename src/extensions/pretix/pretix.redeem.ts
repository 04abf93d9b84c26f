import { isObject } from "#kernel/json.ts";
import type { OutboundEvent } from "../kit/outbound.ts";
import { listAt, textAt, timeAt, valueAt } from "../kit/values.ts";
import type { PretixAnswer } from "./pretix.client.ts";
import type { PretixSettings } from "./pretix.config.ts";
import { isOrderName, type OrderName } from "./pretix.delivery.ts";
import { checkInKey, POSITION } from "./pretix.order.ts";

/** What pretix is told of scans, and what its answers mean. Rules only. */

export type RedeemCommand = {
  readonly passId: string;
  /** With the account that it belongs to. */
  readonly positionId: string;
  readonly order: OrderName;
  /** The same at each try: pretix makes one check-in of it. */
  readonly nonce: string;
  readonly at: string;
};

/** Undefined for scans that let nobody in, of other passes, and for what pretix itself has told. */
export function redeemCommand({ data, identifiers }: OutboundEvent): RedeemCommand | undefined {
  const positionId = identifiers[`pretix.${POSITION}`];
  const [event, code, more] = (identifiers["pretix.orderCode"] ?? "").split("/");
  if (positionId === undefined || !event || !code || more !== undefined) return undefined;
  if (!isOrderName({ event, code })) return undefined;
  const [passId, nonce, at] = ["passId", "scanId", "scannedAt"].map((name) => textAt(data, name));
  if (passId === undefined || nonce === undefined || at === undefined) return undefined;
  const isEcho = textAt(data, "reference")?.startsWith("pretix checkin:") === true;
  if (isEcho || data.decision !== "accepted") return undefined;
  return { passId, positionId, order: { event, code }, nonce, at };
}

export type Redeemed =
  | { readonly key: string | undefined }
  | { readonly refused: string }
  /** It speaks of the request as a whole, and may be over later. */
  | "problem";

const REASON = /^[a-z_]{1,40}$/;

export function redeemedBy(settings: PretixSettings, { status, json }: PretixAnswer): Redeemed {
  if (!isObject(json)) return "problem";
  const told = textAt(json, "status");
  if ((status === 201 || status === 200) && told === "ok")
    return { key: newestKey(settings, json) };
  if (told === "incomplete") return { refused: "pretix wants questions to be answered first" };
  if (told !== "error" || (status !== 200 && status !== 400 && status !== 404)) return "problem";
  const reason = textAt(json, "reason") ?? "";
  // Somebody else was faster, or it was done here before.
  if (reason === "already_redeemed") return { key: undefined };
  return { refused: `pretix refused it: ${REASON.test(reason) ? reason : "no reason was given"}` };
}

/** The check-in that was just made: the answer has those of the list. */
function newestKey(settings: PretixSettings, json: unknown): string | undefined {
  const position = valueAt(json, "position");
  const timeOf = (one: unknown) => timeAt(one, "datetime")?.getTime() ?? 0;
  const [newest] = [...listAt(position, "checkins")].sort(
    (left, right) => timeOf(right) - timeOf(left),
  );
  return newest === undefined ? undefined : checkInKey(settings, position, newest);
}
