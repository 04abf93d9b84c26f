import { fieldErrors } from "#kernel/http/validation.ts";
import type { VendorAnswer, VendorRequest } from "../frame/vendor.server.ts";
import { type EventDate, presentDate } from "./pretix.dates.ts";
import {
  type Order,
  type Organizer,
  presentEvent,
  presentItem,
  presentOrder,
  type TicketEvent,
  type Webhook,
} from "./pretix.orders.ts";
import { Redeem, WebhookCreate } from "./pretix.schema.ts";

/** What the API reads and changes. */
export type PretixData = {
  readonly organizers: readonly Organizer[];
  readonly events: readonly TicketEvent[];
  readonly orders: readonly Order[];
  readonly webhooks: readonly Webhook[];
  readonly now: string;
  readonly baseUrl: string;
  datesOf(event: TicketEvent): readonly EventDate[];
  isEnabled(webhook: Webhook): boolean;
  addWebhook(organizer: string, wish: WebhookCreate): Webhook;
  removeWebhook(webhook: Webhook): void;
  redeem(organizer: string, wish: Redeem): VendorAnswer;
};

const PAGE_SIZE = 50;
const PATH = /^\/api\/v1\/organizers\/(?:([^/]+)\/(.*))?$/;

const detail = (status: number, text: string): VendorAnswer => ({ status, body: { detail: text } });
const ok = (body: unknown): VendorAnswer => ({ status: 200, body });
const notFound = (): VendorAnswer => detail(404, "Not found.");

/** Answers one request to pretix's REST API. */
export function answerApi(request: VendorRequest, data: PretixData): VendorAnswer {
  const [, slug, rest = ""] = PATH.exec(request.path) ?? [];
  if (!PATH.test(request.path)) return notFound();
  const [, token] = /^Token (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined) return detail(401, "Authentication credentials were not provided.");
  const mine = data.organizers.find(({ tokens }) => tokens.includes(token));
  if (mine === undefined) return detail(401, "Invalid token.");
  if (slug === undefined) return ok(page([mine].map(presentOrganizer), request, data));
  if (slug !== mine.slug) {
    return detail(403, "You do not have permission to perform this action.");
  }
  const parts = rest.split("/").filter((part) => part !== "");
  if (parts[0] === "webhooks") return webhooks(request, mine, parts.slice(1), data);
  if (parts.join("/") === "checkinrpc/redeem" && request.method === "POST") {
    const wish = readJson(request.body);
    const errors = fieldErrors(Redeem, wish);
    return errors === undefined
      ? data.redeem(mine.slug, wish as Redeem)
      : { status: 400, body: errors };
  }
  if (request.method !== "GET") return detail(405, `Method "${request.method}" not allowed.`);
  if (parts.length === 0) return ok(presentOrganizer(mine));
  const events = data.events.filter(({ organizer }) => organizer === mine.slug);
  if (parts[0] !== "events") return notFound();
  if (parts.length === 1) return ok(page(events.map(presentEvent), request, data));
  const event = events.find((one) => one.slug === parts[1]);
  return event === undefined ? notFound() : ofEvent(request, event, parts.slice(2), data);
}

const presentOrganizer = ({ slug, name }: Organizer) => ({
  name,
  slug,
  public_url: `https://pretix.example/${slug}/`,
});

function ofEvent(
  request: VendorRequest,
  event: TicketEvent,
  [collection, id, ...more]: readonly string[],
  data: PretixData,
): VendorAnswer {
  if (collection === undefined) return ok(presentEvent(event));
  if (more.length > 0) return notFound();
  if (collection === "items") {
    const items = event.items.map(presentItem);
    if (id === undefined) return ok(page(items, request, data));
    const item = items[Number(id) - 1];
    return item === undefined ? notFound() : ok(item);
  }
  if (collection === "subevents") {
    const dates = data.datesOf(event);
    if (id === undefined) return ok(page(dates.map(presentDate), request, data));
    const date = dates.find((one) => String(one.id) === id);
    return date === undefined ? notFound() : ok(presentDate(date));
  }
  if (collection !== "orders") return notFound();
  const orders = data.orders.filter(
    (order) => order.organizer === event.organizer && order.event === event.slug,
  );
  const withCanceled = request.query.get("include_canceled_positions") === "true";
  if (id === undefined) return listOrders(request, orders, data);
  const order = orders.find(({ code }) => code === id);
  if (order === undefined) return detail(404, "No Order matches the given query.");
  return ok(chosenMembers(presentOrder(order, withCanceled), request.query));
}

/** Members that `include` names, without those that `exclude` names; of deeper ones nothing is known. */
function chosenMembers(order: object, query: URLSearchParams): object {
  const [wanted, unwanted] = [query.getAll("include"), query.getAll("exclude")];
  const kept = Object.entries(order).filter(
    ([name]) => (wanted.length === 0 || wanted.includes(name)) && !unwanted.includes(name),
  );
  return Object.fromEntries(kept);
}

function listOrders(
  request: VendorRequest,
  orders: readonly Order[],
  data: PretixData,
): VendorAnswer {
  const { query } = request;
  const [since, status] = [query.get("modified_since"), query.get("status")];
  const from = since === null ? 0 : Date.parse(since);
  if (Number.isNaN(from)) {
    return { status: 400, body: { modified_since: ["Enter a valid date/time."] } };
  }
  const isByChange = query.get("ordering") === "last_modified";
  const found = orders
    .filter(({ last_modified }) => Date.parse(last_modified) >= from)
    .filter((order) => status === null || order.status === status)
    .toSorted((left, right) =>
      isByChange ? Date.parse(left.last_modified) - Date.parse(right.last_modified) : 0,
    )
    .map((order) => presentOrder(order, query.get("include_canceled_positions") === "true"))
    .map((order) => chosenMembers(order, query));
  const number = Number(query.get("page") ?? "1");
  if (number > 1 && (number - 1) * PAGE_SIZE >= found.length) return detail(404, "Invalid page.");
  const headers = { "x-page-generated": data.now };
  return { status: 200, body: page(found, request, data), headers };
}

function page(all: readonly object[], { path, query }: VendorRequest, { baseUrl }: PretixData) {
  const number = Math.max(1, Math.trunc(Number(query.get("page") ?? "1")) || 1);
  const end = number * PAGE_SIZE;
  const at = (wanted: number) => {
    const changed = new URLSearchParams(query);
    changed.set("page", String(wanted));
    return `${baseUrl}${path}?${changed}`;
  };
  return {
    count: all.length,
    next: end < all.length ? at(number + 1) : null,
    previous: number > 1 ? at(number - 1) : null,
    results: all.slice(end - PAGE_SIZE, end),
  };
}

function webhooks(
  request: VendorRequest,
  { slug }: Organizer,
  [id]: readonly string[],
  data: PretixData,
): VendorAnswer {
  const present = ({ organizer: _, subscription: __, ...webhook }: Webhook, enabled: boolean) => {
    return { ...webhook, enabled };
  };
  const mine = data.webhooks.filter(({ organizer }) => organizer === slug);
  if (id === undefined && request.method === "GET") {
    const shown = mine.map((webhook) => present(webhook, data.isEnabled(webhook)));
    return ok(page(shown, request, data));
  }
  if (id === undefined && request.method === "POST") {
    const wish = readJson(request.body);
    const errors = fieldErrors(WebhookCreate, wish);
    if (errors !== undefined) return { status: 400, body: errors };
    return { status: 201, body: present(data.addWebhook(slug, wish as WebhookCreate), true) };
  }
  const webhook = mine.find((one) => String(one.id) === id);
  if (webhook === undefined) return notFound();
  if (request.method === "GET") return ok(present(webhook, data.isEnabled(webhook)));
  if (request.method !== "DELETE") return detail(405, `Method "${request.method}" not allowed.`);
  data.removeWebhook(webhook);
  return { status: 204, body: "" };
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
