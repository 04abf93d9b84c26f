import { isObject } from "#kernel/json.ts";
import type { Ticket, TicketCheckIn } from "../kit/action.ts";
import { fieldsOf } from "../kit/mapping.ts";
import { listAt, textAt, timeAt, valueAt } from "../kit/values.ts";
import { ownId } from "./pretix.account.ts";
import type { PretixSettings } from "./pretix.config.ts";
import type { OrderName } from "./pretix.delivery.ts";

/** What an order of pretix means for passes. Rules only. */

const CHECK_INS_MAX = 50;

/** The identifier of passes that is the id of their position, with the account that it belongs to. */
export const POSITION = "positionId";

/** The event, its dates and the products of an order, as far as the settings ask for them. */
export type Surroundings = {
  readonly event?: unknown;
  /** Of an event series, by their ids. */
  readonly dates: ReadonlyMap<string, unknown>;
  /** By their ids. */
  readonly products: ReadonlyMap<string, unknown>;
};

/** What each date of an event series has of its own. */
const OF_DATE = [
  "name",
  "date_from",
  "date_to",
  "date_admission",
  "location",
  "geo_lat",
  "geo_lon",
];

/** Whether the tickets of an order let anybody in: paid, or good before they are paid. */
export function isGood(order: unknown): boolean {
  const status = textAt(order, "status");
  if (status === "p") return true;
  if (valueAt(order, "require_approval") === true) return false;
  return status === "n" && valueAt(order, "valid_if_pending") === true;
}

/** The positions that are tickets and let somebody in. */
export function goodPositions(order: unknown, { products }: PretixSettings): readonly unknown[] {
  if (!isGood(order)) return [];
  return listAt(order, "positions").filter((position) => {
    const product = Number(textAt(position, "item"));
    const isTicket =
      products === undefined ? valueAt(position, "addon_to") == null : products.includes(product);
    const isBlocked = listAt(position, "blocked").length > 0;
    const isCanceled = valueAt(position, "canceled") === true;
    return isTicket && !isBlocked && !isCanceled && textAt(position, "id") !== undefined;
  });
}

/** A position as a ticket, with the members that the settings ask for. */
export function ticketOf(
  settings: PretixSettings,
  name: OrderName,
  order: Readonly<Record<string, unknown>>,
  position: unknown,
  around: Surroundings,
): Ticket {
  const { fields, checkedInAs } = settings;
  const { positions: _, ...rest } = order;
  const product = around.products.get(textAt(position, "item") ?? "");
  const from = { ...(position as object), order: rest, event: eventFor(position, around), product };
  const checkIns = checkInsOf(settings, position);
  const first = checkIns.find(({ at }) => at !== undefined)?.at;
  return {
    key: ownId(settings, textAt(position, "id") ?? ""),
    identifiers: { "pretix.orderCode": `${name.event}/${name.code}` },
    additionalData: {
      ...fieldsOf(fields, from),
      ...(checkedInAs === undefined ? {} : { [checkedInAs]: first?.toISOString() ?? null }),
    },
    ...endOf(position),
    checkIns,
  };
}

/** The number of the date that a ticket of an event series is for; undefined for other tickets. */
export function dateOf(position: unknown): string | undefined {
  return textAt(position, "subevent");
}

/**
 * The event as the holder of a ticket knows it: in an event series, the time and the place are those of
 * one date. If nothing is known of the date, passes keep what they have: another date would be wrong.
 */
function eventFor(position: unknown, { event, dates }: Surroundings): unknown {
  const id = dateOf(position);
  if (id === undefined || !isObject(event)) return event;
  const date = dates.get(id);
  const ofSeries = Object.entries(event).filter(([name]) => !OF_DATE.includes(name));
  const ofDate = OF_DATE.map((name) => [name, valueAt(date, name)] as const);
  return Object.fromEntries([...ofSeries, ...ofDate]);
}

/** Null takes an end away that the ticket had before; where nothing is said, the pass keeps its own. */
function endOf(position: unknown): Pick<Ticket, "expirationDate"> {
  if (valueAt(position, "valid_until") === null) return { expirationDate: null };
  const at = timeAt(position, "valid_until");
  return at === undefined ? {} : { expirationDate: at.toISOString() };
}

/** When the holder was let in, the first time first. */
function checkInsOf(settings: PretixSettings, position: unknown): TicketCheckIn[] {
  return listAt(position, "checkins")
    .filter((one) => (textAt(one, "type") ?? "entry") === "entry")
    .map((one) => ({ key: checkInKey(settings, position, one), at: timeAt(one, "datetime") }))
    .sort((left, right) => (left.at?.getTime() ?? 0) - (right.at?.getTime() ?? 0))
    .slice(0, CHECK_INS_MAX);
}

/** Older versions of pretix give check-ins no id. */
export function checkInKey(settings: PretixSettings, position: unknown, checkIn: unknown): string {
  const id = textAt(checkIn, "id");
  const parts = [textAt(position, "id"), textAt(checkIn, "list"), textAt(checkIn, "datetime")];
  return `checkin:${ownId(settings, id ?? parts.join(":"))}`;
}
