import { type Arrival, type Connection, DeliveryProblem, type Reading } from "../kit/connector.ts";
import { textAt } from "../kit/values.ts";
import { ownId } from "./pretix.account.ts";
import { type PretixSettings, slug } from "./pretix.config.ts";

/** pretix has more kinds of actions, which ask for nothing. */
const ACTION = /^pretix\.event\.(order\.|checkin(\.|$))/;
/** What all tickets of an event, or of a date of an event series, may show has changed. */
const EVENT_CHANGES: readonly string[] = ["pretix.event.changed", "pretix.subevent.changed"];
const SLUG = new RegExp(slug.pattern);
/** Letters and digits; it becomes a part of an address. */
const CODE = /^[A-Za-z0-9]{1,64}$/;
export const OTHER_ORGANIZER = "It is about another organizer than that of the settings.";

/** What an order is known by here: codes are unique within an organizer, and events find it. */
export type OrderName = { readonly event: string; readonly code: string };

/** No identifier of passes has this name: the erasure of one ticket must not end news of the others. */
export function subjectOf(settings: PretixSettings, { event, code }: OrderName): string {
  return `order=${ownId(settings, `${event}/${code}`)}`;
}

/** Whether it can be the short name of an event: `..` would lead to another address. */
export function isEventName(text: string): boolean {
  return SLUG.test(text);
}

export function isOrderName({ event, code }: OrderName): boolean {
  return isEventName(event) && CODE.test(code);
}

/** Whether a change is one of the event, and not of an order. */
export function isOfEvent(topic: string): boolean {
  return EVENT_CHANGES.includes(topic);
}

export function eventOf(json: unknown): string {
  const event = textAt(json, "event");
  if (event === undefined || !isEventName(event)) {
    throw new DeliveryProblem("It does not say which event it is about.");
  }
  return event;
}

/** The order that a delivery is about. */
export function orderOf(json: unknown): OrderName {
  const code = textAt(json, "code");
  if (code === undefined || !CODE.test(code)) {
    throw new DeliveryProblem("It does not say which order it is about.");
  }
  return { event: eventOf(json), code };
}

/**
 * A webhook of pretix says what happened to which order, and is not signed: nothing in it is believed.
 * It has no time either; how new the news is, the order itself tells when it is asked for.
 */
export function readPretixWebhook(
  { json }: Pick<Arrival, "json">,
  { settings }: Pick<Connection<PretixSettings>, "settings">,
): Reading | undefined {
  if (json === undefined) throw new DeliveryProblem("Its body is no JSON.");
  const topic = textAt(json, "action");
  if (topic === undefined) return undefined;
  const isAboutEvent = isOfEvent(topic) && asksFor(settings, "event");
  if (!isAboutEvent && !ACTION.test(topic)) return undefined;
  if (textAt(json, "organizer") !== settings.organizer) {
    throw new DeliveryProblem(OTHER_ORGANIZER);
  }
  const event = eventOf(json);
  if (settings.events !== undefined && !settings.events.includes(event)) return undefined;
  const id = textAt(json, "notification_id");
  if (id === undefined) throw new DeliveryProblem("It has no notification_id.");
  const subject = isAboutEvent ? `event=${event}` : subjectOf(settings, orderOf(json));
  return { dedupeKey: ownId(settings, id), topic, subject };
}

/** Whether the members of passes are taken from the event, or from the product. */
export function asksFor(settings: PretixSettings, what: "event" | "product"): boolean {
  return Object.values(settings.fields ?? {}).some((path) => path.startsWith(`${what}.`));
}
