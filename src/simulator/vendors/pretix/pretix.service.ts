import { randomBytes } from "node:crypto";
import { addDeliveries } from "../deliveries/delivery.control.ts";
import { Outbox, type OutboxState } from "../deliveries/delivery.service.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import { ControlTable } from "../frame/control.ts";
import { addServer } from "../frame/server.control.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import { type VendorRequest, VendorServer } from "../frame/vendor.server.ts";
import { Shelf, type Vendor, type VendorTools } from "../frame/vendor.ts";
import { answerApi } from "./pretix.api.ts";
import { type EventDate, EventDates } from "./pretix.dates.ts";
import {
  ALL_ACTIONS,
  type CheckIn,
  isWanted,
  type Order,
  type Organizer,
  type Position,
  type TicketEvent,
  type Webhook,
} from "./pretix.orders.ts";
import { redeem } from "./pretix.redeem.ts";
import { RULES } from "./pretix.rules.ts";
import type {
  CheckInCreate,
  EventChange,
  EventCreate,
  OrderCreate,
  OrganizerCreate,
  PositionChange,
  WebhookControl,
} from "./pretix.schema.ts";

const CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ3789";

type Kept = {
  readonly organizers: readonly (readonly [string, Organizer])[];
  readonly events: readonly (readonly [string, TicketEvent])[];
  readonly dates?: readonly (readonly [string, EventDate])[];
  readonly orders: readonly (readonly [string, Order])[];
  readonly webhooks: readonly (readonly [string, Webhook])[];
  readonly outbox: OutboxState;
  readonly lastId: number;
  readonly port: number;
};

type Deed = Readonly<Record<string, unknown>>;
type About = Pick<Order, "organizer" | "event"> & Partial<Pick<Order, "code">>;

/** pretix: an API with orders, and webhooks that are not signed and only name what changed. */
export class Pretix implements Vendor {
  readonly name = "pretix";
  readonly control = new ControlTable();
  readonly server: VendorServer;
  readonly outbox: Outbox;
  readonly organizers: Shelf<Organizer>;
  readonly events: Shelf<TicketEvent>;
  readonly dates: EventDates;
  readonly orders: Shelf<Order>;
  readonly webhooks: Shelf<Webhook>;
  readonly #tools: VendorTools;
  #lastId: number;

  constructor(tools: VendorTools) {
    this.#tools = tools;
    const kept = tools.kept as Kept | undefined;
    this.organizers = new Shelf("organizer", 50, kept?.organizers);
    this.events = new Shelf("event", 200, kept?.events);
    this.dates = new EventDates(
      {
        eventOf: (organizer, slug) => this.#eventOf(organizer, slug),
        newId: () => this.#newId(),
        tell: (about, name, facts) => this.#tell(about, name, facts),
      },
      kept?.dates,
    );
    this.orders = new Shelf("order", 20_000, kept?.orders);
    this.webhooks = new Shelf("webhook", 200, kept?.webhooks);
    this.#lastId = kept?.lastId ?? 123_000;
    const headers = { "Content-Type": "application/json", "User-Agent": "pretix" };
    const prepare = ({ body }: Delivery) => ({ headers, body });
    this.outbox = new Outbox({ ...tools, rules: RULES, prepare }, kept?.outbox);
    const answer = (request: VendorRequest) => this.#answer(request);
    this.server = new VendorServer({ clock: tools.clock, answer, port: kept?.port });
    addDeliveries(this.control, this);
    addServer(this.control, this.server);
  }

  get url(): string {
    return this.server.url;
  }

  async open(): Promise<void> {
    await this.server.open();
    this.outbox.resume();
  }

  close(): Promise<void> {
    return this.server.close();
  }

  keep(): Kept {
    return {
      organizers: this.organizers.entries(),
      events: this.events.entries(),
      dates: this.dates.entries(),
      orders: this.orders.entries(),
      webhooks: this.webhooks.entries(),
      outbox: this.outbox.keep(),
      lastId: this.#lastId,
      port: this.server.port,
    };
  }

  async reset(): Promise<void> {
    const { organizers, events, dates, orders, webhooks } = this;
    for (const shelf of [organizers, events, dates, orders, webhooks]) shelf.clear();
    this.outbox.clear();
    this.server.forget();
    await this.server.setFault(undefined);
  }

  requireAccount(organizer: string): void {
    this.organizers.get(organizer);
  }

  createOrganizer({ slug, name = slug, token }: OrganizerCreate): Organizer {
    const tokens = [token ?? randomBytes(32).toString("hex")];
    this.#tools.changed();
    return this.organizers.put(slug, { slug, name, tokens });
  }

  createEvent({ organizer, slug, ...wish }: EventCreate): TicketEvent {
    const owner = this.organizers.pick(organizer).slug;
    const event = {
      organizer: owner,
      slug,
      name: wish.name ?? slug,
      currency: wish.currency ?? "EUR",
      date_from: wish.date_from ?? "2027-06-01T18:00:00Z",
      location: wish.location ?? "Harbour Hall",
      items: wish.items ?? ["Regular ticket"],
      isSeries: wish.has_subevents ?? false,
    };
    this.#tools.changed();
    return this.events.put(`${owner}/${slug}`, event);
  }

  changeEvent(organizer: string, slug: string, values: EventChange): TicketEvent {
    const id = `${organizer}/${slug}`;
    const event = this.events.put(id, { ...this.events.get(id), ...values });
    this.#tell({ organizer, event: slug }, "changed");
    return event;
  }

  createWebhook({ organizer, ...wish }: WebhookControl): Webhook {
    const { target_url, action_types = ALL_ACTIONS, limit_events = [] } = wish;
    const account = this.organizers.pick(organizer).slug;
    const { id: subscription } = this.outbox.subscribe(account, target_url);
    const [id, all_events] = [this.#newId(), limit_events.length === 0];
    const about = { organizer: account, subscription, target_url };
    return this.webhooks.put(String(id), { id, ...about, all_events, limit_events, action_types });
  }

  isEnabled({ subscription }: Webhook): boolean {
    return this.outbox.subscriptions.some(({ id, endedAt }) => id === subscription && !endedAt);
  }

  placeOrder({ organizer, event: slug, ...wish }: OrderCreate): Order {
    const event = this.#eventOf(organizer, slug);
    const { paid = true, requireApproval = false, email = null } = wish;
    const at = this.#now();
    const order: Order = {
      organizer: event.organizer,
      event: slug,
      code: this.#newCode(),
      status: "n",
      requireApproval,
      email,
      datetime: at,
      last_modified: at,
      positions: wish.positions.map(({ price = "10.00", item = 1, ...given }, index) => {
        if (event.items[item - 1] === undefined) {
          throw vendorRefused({ reason: `The event has no product ${item}.` });
        }
        this.dates.requireFor(event, given.subevent ?? null);
        return {
          attendee_name: null,
          attendee_email: null,
          subevent: null,
          ...given,
          id: this.#newId(),
          positionid: index + 1,
          item,
          price: Number(price).toFixed(2),
          secret: newSecret(),
          isCanceled: false,
          checkins: [],
        };
      }),
    };
    this.#put(order, requireApproval ? "order.placed.require_approval" : "order.placed");
    return paid && !requireApproval ? this.payOrder(order.code) : order;
  }

  payOrder(code: string): Order {
    return this.#change(code, { status: "p" }, "order.paid");
  }

  approveOrder(code: string): Order {
    this.#change(code, { requireApproval: false }, "order.approved");
    return this.payOrder(code);
  }

  denyOrder(code: string): Order {
    return this.#change(code, { status: "c" }, "order.denied");
  }

  cancelOrder(code: string): Order {
    return this.#change(code, { status: "c" }, "order.canceled");
  }

  expireOrder(code: string): Order {
    return this.#change(code, { status: "e" }, "order.expired");
  }

  reactivateOrder(code: string): Order {
    return this.#change(code, { status: "p" }, "order.reactivated");
  }

  changeContact(code: string, email: string): Order {
    return this.#change(code, { email }, "order.contact.changed");
  }

  /** Deletes an order of the test mode. */
  deleteOrder(code: string): void {
    const order = this.orders.get(code);
    this.orders.remove(code);
    this.#tell(order, "order.deleted");
  }

  /** Another product or date is a change of the order; another name is information. */
  changePosition(code: string, positionid: number, values: PositionChange): Order {
    const { organizer, event } = this.orders.get(code);
    const { item, subevent } = values;
    if (subevent !== undefined) this.dates.requireFor(this.#eventOf(organizer, event), subevent);
    const changed = item !== undefined ? "item" : subevent !== undefined ? "subevent" : undefined;
    const action = changed === undefined ? "order.modified" : `order.changed.${changed}`;
    return this.#changePosition(code, positionid, values, action);
  }

  /** The old barcode is good for nothing from now on. */
  changeSecret(code: string, positionid: number): Order {
    return this.#changePosition(code, positionid, { secret: newSecret() }, "order.changed.secret");
  }

  cancelPosition(code: string, positionid: number): Order {
    return this.#changePosition(code, positionid, { isCanceled: true }, "order.changed.cancel");
  }

  checkIn(
    code: string,
    positionid: number,
    { list = 1, type = "entry" }: CheckInCreate = {},
    nonce?: string,
  ): Order {
    const position = positionOf(this.orders.get(code), positionid);
    const about = { list, datetime: this.#now(), type, ...(nonce && { nonce }) };
    const checkin: CheckIn = { id: this.#newId(), ...about };
    const checkins = [...position.checkins, checkin];
    const facts = { ...factsOf(position, list, type), first_checkin: checkins.length === 1 };
    return this.#changePosition(code, positionid, { checkins }, "checkin", facts);
  }

  revertCheckIn(code: string, positionid: number): Order {
    const position = positionOf(this.orders.get(code), positionid);
    const last = position.checkins.at(-1);
    if (last === undefined) throw vendorRefused({ reason: "The ticket is not checked in." });
    const checkins = position.checkins.slice(0, -1);
    const facts = factsOf(position, last.list, last.type);
    return this.#changePosition(code, positionid, { checkins }, "checkin.reverted", facts);
  }

  /** Sends any body; pretix signs nothing. */
  deliver(organizer: string, topic: string, body: string): Delivery[] {
    return this.outbox.emit({ account: organizer, topic, body });
  }

  #answer(request: VendorRequest) {
    return answerApi(request, {
      organizers: this.organizers.all,
      events: this.events.all,
      datesOf: (event) => this.dates.of(event),
      orders: this.orders.all,
      webhooks: this.webhooks.all,
      now: this.#tools.clock.wall().toISOString(),
      baseUrl: this.url,
      isEnabled: (webhook) => this.isEnabled(webhook),
      addWebhook: (organizer, { target_url, action_types, ...wish }) => {
        const limit_events = wish.all_events === false ? (wish.limit_events ?? []) : [];
        return this.createWebhook({ organizer, target_url, action_types, limit_events });
      },
      removeWebhook: ({ id, subscription }) => {
        this.webhooks.remove(String(id));
        this.outbox.unsubscribe(subscription);
      },
      redeem: (organizer, wish) => {
        const orders = this.orders.all.filter((order) => order.organizer === organizer);
        return redeem(orders, wish, ({ order, position }, list) =>
          this.checkIn(order.code, position.positionid, { list }, wish.nonce),
        );
      },
    });
  }

  #change(code: string, values: Partial<Order>, action: string, facts: Deed = {}): Order {
    return this.#put({ ...this.orders.get(code), ...values }, action, facts);
  }

  #changePosition(
    code: string,
    positionid: number,
    values: Partial<Position>,
    action: string,
    facts: Deed = {},
  ): Order {
    const order = this.orders.get(code);
    const position = positionOf(order, positionid);
    const positions = order.positions.map((one) =>
      one === position ? { ...one, ...values } : one,
    );
    return this.#change(code, { positions }, action, facts);
  }

  #put(changed: Order, action: string, facts: Deed = {}): Order {
    const order = { ...changed, last_modified: this.#now() };
    this.orders.put(order.code, order);
    this.#tell(order, action, facts);
    return order;
  }

  #tell({ organizer, event, code }: About, name: string, facts: Deed = {}): void {
    const action = `pretix.${name.startsWith("subevent.") ? "" : "event."}${name}`;
    const notification_id = this.#newId();
    this.outbox.emit({
      account: organizer,
      topic: action,
      body: JSON.stringify({ notification_id, organizer, event, code, action, ...facts }),
      isFor: ({ id }) => {
        const webhook = this.webhooks.all.find(({ subscription }) => subscription === id);
        return webhook === undefined || isWanted(webhook, event, action);
      },
    });
    this.#tools.changed();
  }

  #eventOf(organizer: string | undefined, slug: string): TicketEvent {
    return this.events.get(`${this.organizers.pick(organizer).slug}/${slug}`);
  }

  #newCode(): string {
    const letter = (byte: number) => CODE_LETTERS[byte % CODE_LETTERS.length];
    const code = [...randomBytes(5)].map(letter).join("");
    return this.orders.find(code) === undefined ? code : this.#newCode();
  }

  #newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #now(): string {
    return this.#tools.clock.stamp();
  }
}

const newSecret = (): string => randomBytes(16).toString("hex");

const factsOf = ({ id, positionid }: Position, list: number, type: string): Deed => ({
  orderposition_id: id,
  orderposition_positionid: positionid,
  checkin_list: list,
  type,
});

function positionOf({ code, positions }: Order, positionid: number): Position {
  const position = positions.find((one) => one.positionid === positionid && !one.isCanceled);
  if (position !== undefined) return position;
  throw vendorRefused({
    reason: `Order ${code} has no position ${positionid} that is not canceled.`,
  });
}
