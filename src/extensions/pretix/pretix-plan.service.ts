import type { TenantContext } from "#kernel/context.ts";
import type { TicketsAction } from "../kit/action.ts";
import { type Delivery, type News, type Plan, VendorProblem } from "../kit/connector.ts";
import { listAt, textAt, timeAt, valueAt } from "../kit/values.ts";
import { type Found, type PretixConnection, readPretix, UNREADABLE } from "./pretix.client.ts";
import {
  asksFor,
  eventOf,
  isOfEvent,
  type OrderName,
  OTHER_ORGANIZER,
  orderOf,
  subjectOf,
} from "./pretix.delivery.ts";
import { dateOf, goodPositions, POSITION, type Surroundings, ticketOf } from "./pretix.order.ts";

/** Of one order; members of the others stay as they are. */
const PRODUCTS_MAX = 10;
const DATES_MAX = 30;
const STATUSES = ["n", "p", "e", "c"];
const DELETED = "pretix.event.order.deleted";

/** Parts of an order that may be long, and that nobody shows on a pass. */
const LEFT_OUT = ["payments", "refunds", "fees", "downloads", "positions.downloads"];

/** Asks for the order, and brings the passes of its tickets to how it is now. */
export async function planPretix(
  context: TenantContext,
  { topic, json }: Delivery,
  connection: PretixConnection,
  signal: AbortSignal,
): Promise<Plan> {
  const { settings } = connection;
  // It may have waited while the settings were changed.
  if (textAt(json, "organizer") !== settings.organizer) return { ignored: OTHER_ORGANIZER };
  if (isOfEvent(topic)) return { actions: [{ do: "look-again", part: eventOf(json) }] };
  const name = orderOf(json);
  const found = await readOrder(context, connection, name, signal);
  if (found === undefined) {
    // Only orders of the test mode can be deleted; a token without rights must not end any ticket.
    if (topic !== DELETED) return { ignored: "pretix has no such order." };
    return { actions: [ticketsOf(connection, name, [])] };
  }
  const order = found.json;
  const positions = goodPositions(order, settings);
  const around = await readSurroundings(context, connection, name, positions, signal);
  const valid = positions.map((one) => ticketOf(settings, name, order, one, around));
  const news = newsOf(context, order, subjectOf(settings, name));
  return { actions: [ticketsOf(connection, name, valid)], ...(news && { news }) };
}

function ticketsOf(
  { settings }: PretixConnection,
  name: OrderName,
  valid: TicketsAction["valid"],
): TicketsAction {
  const soldAs = subjectOf(settings, name);
  return { do: "tickets", passType: settings.passType, identifier: POSITION, soldAs, valid };
}

/** A clock of pretix that is ahead must not make later news old. */
function newsOf({ clock }: TenantContext, order: unknown, subject: string): News | undefined {
  const at = timeAt(order, "last_modified");
  if (at === undefined) return undefined;
  return { at: new Date(Math.min(at.getTime(), clock.now().getTime())), subject };
}

/** Undefined if there is no such order. */
export async function readOrder(
  context: TenantContext,
  connection: PretixConnection,
  { event, code }: OrderName,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const query = LEFT_OUT.map((part) => ["exclude", part] as const);
  const request = { path: ["events", event, "orders", code], query };
  const found = await readPretix(context, connection, request, signal);
  if (found === undefined) return undefined;
  const { json } = found;
  const isOrder =
    textAt(json, "code") === code &&
    // Older versions of pretix do not say it.
    (textAt(json, "event") ?? event) === event &&
    STATUSES.includes(textAt(json, "status") ?? "") &&
    Array.isArray(valueAt(json, "positions"));
  if (!isOrder) throw new VendorProblem(UNREADABLE);
  return found;
}

/** Only what the settings show: most show nothing of it. */
async function readSurroundings(
  context: TenantContext,
  connection: PretixConnection,
  { event }: OrderName,
  positions: readonly unknown[],
  signal: AbortSignal,
): Promise<Surroundings> {
  const { settings } = connection;
  const read = async (...path: string[]) =>
    (await readPretix(context, connection, { path: ["events", event, ...path] }, signal))?.json;
  const readEach = async (kind: string, ids: readonly string[], max: number) => {
    const found = new Map<string, unknown>();
    for (const id of [...new Set(ids)].slice(0, max)) found.set(id, await read(kind, id));
    return found;
  };
  const ofEvent = asksFor(settings, "event") ? positions : [];
  const ofProduct = asksFor(settings, "product") ? positions : [];
  const dates = ofEvent.flatMap((position) => dateOf(position) ?? []);
  const products = ofProduct.flatMap((position) => textAt(position, "item") ?? []);
  return {
    event: ofEvent.length > 0 ? await read() : undefined,
    dates: await readEach("subevents", dates, DATES_MAX),
    products: await readEach("items", products, PRODUCTS_MAX),
  };
}

/** What is on a page of a list, and whether another one follows. */
export function pageOf({ json }: Found): {
  readonly results: readonly unknown[];
  readonly hasMore: boolean;
} {
  if (!Array.isArray(json.results)) throw new VendorProblem(UNREADABLE);
  // The address of the next page is never called: pages are counted here.
  return { results: listAt(json, "results"), hasMore: typeof json.next === "string" };
}
