import type { TenantContext } from "#kernel/context.ts";
import type { Action } from "../kit/action.ts";
import { type Connection, type Delivery, DeliveryProblem, type Plan } from "../kit/connector.ts";
import type { SettingsOf } from "../kit/connector-file.ts";
import { fieldsOf } from "../kit/mapping.ts";
import { textAt } from "../kit/values.ts";
import type { titoFile } from "./tito.config.ts";
import { isCheckIn, isTakenBack, isVoid, TICKET } from "./tito.delivery.ts";

type Settings = SettingsOf<(typeof titoFile)["members"]>;

/** What a delivery of Tito shall bring about. */
export function planTito(
  _context: TenantContext,
  delivery: Delivery,
  { settings }: Pick<Connection<Settings>, "settings">,
): Plan {
  const { topic, subject, json } = delivery;
  const key = subject.slice(TICKET.length + 1);
  if (isCheckIn(topic)) return checkIn(settings, delivery, key);
  const { passType, fields } = settings;
  const reference = textAt(json, "reference");
  const ticket = {
    key,
    ...(reference === undefined ? {} : { identifiers: { "tito.reference": reference } }),
    additionalData: fieldsOf(fields, json),
  };
  const valid = isVoid(topic, json) ? [] : [ticket];
  return { actions: [{ do: "tickets", passType, identifier: TICKET, soldAs: subject, valid }] };
}

/**
 * A check-in is told of once when it is made, and perhaps once more when it is taken back: then the
 * scan stays, because somebody was at the door, and the pass shows nothing of it any more.
 */
function checkIn(
  { checkedInAs }: Settings,
  { topic, json, occurredAt }: Delivery,
  ticketId: string,
): Plan {
  const id = textAt(json, "id");
  if (id === undefined) throw new DeliveryProblem("The check-in has no id.");
  const pass = { identifiers: { [`tito.${TICKET}`]: ticketId } };
  const isMade = !isTakenBack(topic, json);
  const actions: Action[] = [];
  if (isMade) actions.push({ do: "check-in", key: `checkin:${id}`, pass, at: occurredAt });
  if (checkedInAs !== undefined) {
    const additionalData = { [checkedInAs]: isMade ? occurredAt.toISOString() : null };
    actions.push({ do: "pass", wish: { action: "update", ...pass, additionalData }, waits: true });
  }
  if (actions.length === 0) return { ignored: "The pass does not show check-ins." };
  return { actions, news: { subject: `checkIn=${ticketId}`, at: occurredAt } };
}
