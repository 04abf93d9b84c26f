export type Organizer = {
  readonly slug: string;
  readonly name: string;
  readonly tokens: readonly string[];
};

export type TicketEvent = {
  readonly organizer: string;
  readonly slug: string;
  readonly name: string;
  readonly currency: string;
  readonly date_from: string;
  readonly location: string;
  readonly items: readonly string[];
  /** Whether its tickets are for one of several dates. */
  readonly isSeries?: boolean;
};

export type CheckIn = {
  readonly id: number;
  readonly list: number;
  readonly datetime: string;
  readonly type: "entry" | "exit";
  /** By which whoever checked in can do so again without doing it twice. */
  readonly nonce?: string;
};

export type Position = {
  readonly id: number;
  readonly positionid: number;
  readonly item: number;
  readonly subevent: number | null;
  readonly price: string;
  readonly attendee_name: string | null;
  readonly attendee_email: string | null;
  /** What the barcode says. */
  readonly secret: string;
  readonly isCanceled: boolean;
  readonly checkins: readonly CheckIn[];
};

/** n: pending, p: paid, e: expired, c: canceled. */
export type OrderStatus = "n" | "p" | "e" | "c";

export type Order = {
  readonly organizer: string;
  readonly event: string;
  readonly code: string;
  readonly status: OrderStatus;
  readonly requireApproval: boolean;
  readonly email: string | null;
  readonly datetime: string;
  readonly last_modified: string;
  readonly positions: readonly Position[];
};

/** Subscribes an address to actions of some events. */
export type Webhook = {
  readonly id: number;
  readonly organizer: string;
  readonly subscription: string;
  readonly target_url: string;
  readonly all_events: boolean;
  readonly limit_events: readonly string[];
  readonly action_types: readonly string[];
};

export const ALL_ACTIONS: readonly string[] = [
  "pretix.event.changed",
  "pretix.subevent.added",
  "pretix.subevent.changed",
  "pretix.event.order.placed",
  "pretix.event.order.placed.require_approval",
  "pretix.event.order.paid",
  "pretix.event.order.canceled",
  "pretix.event.order.reactivated",
  "pretix.event.order.expired",
  "pretix.event.order.modified",
  "pretix.event.order.contact.changed",
  "pretix.event.order.changed.*",
  "pretix.event.order.approved",
  "pretix.event.order.denied",
  "pretix.event.order.deleted",
  "pretix.event.checkin",
  "pretix.event.checkin.reverted",
];

export function isWanted(
  { all_events, limit_events, action_types }: Webhook,
  event: string,
  action: string,
): boolean {
  if (!all_events && !limit_events.includes(event)) return false;
  return action_types.some((type) =>
    type.endsWith(".*") ? action.startsWith(type.slice(0, -1)) : type === action,
  );
}

/** An order as the API shows it; positions that are canceled are left out unless they are wanted. */
export function presentOrder(order: Order, withCanceled = false): object {
  const shown = order.positions.filter(({ isCanceled }) => withCanceled || !isCanceled);
  return {
    code: order.code,
    event: order.event,
    status: order.status,
    testmode: true,
    secret: `${order.code.toLowerCase()}s3cr3t`,
    email: order.email,
    phone: null,
    customer: null,
    locale: "en",
    sales_channel: "web",
    datetime: order.datetime,
    expires: order.datetime,
    last_modified: order.last_modified,
    require_approval: order.requireApproval,
    total: sum(order.positions.filter(({ isCanceled }) => !isCanceled)),
    comment: "",
    checkin_attention: false,
    invoice_address: null,
    positions: shown.map((position) => presentPosition(position, order)),
    fees: [],
    downloads: [],
    payments: [],
    refunds: [],
  };
}

export function presentPosition({ isCanceled, ...position }: Position, { code }: Order): object {
  return {
    ...position,
    checkins: position.checkins.map(({ nonce: _, ...shown }) => shown),
    order: code,
    variation: null,
    voucher: null,
    attendee_name_parts: { full_name: position.attendee_name ?? "" },
    tax_rate: "0.00",
    tax_value: "0.00",
    addon_to: null,
    pseudonymization_id: position.secret.slice(0, 10).toUpperCase(),
    canceled: isCanceled,
    blocked: null,
    valid_from: null,
    valid_until: null,
    seat: null,
    answers: [],
    downloads: [],
  };
}

export function presentEvent({ items, isSeries = false, ...event }: TicketEvent): object {
  const { slug, currency, date_from } = event;
  return {
    name: { en: event.name },
    slug,
    live: true,
    testmode: true,
    currency,
    date_from,
    date_to: null,
    timezone: "Europe/Berlin",
    is_public: true,
    location: { en: event.location },
    has_subevents: isSeries,
    meta_data: {},
    plugins: [],
    item_count: items.length,
  };
}

export const presentItem = (name: string, at: number): object => ({
  id: at + 1,
  name: { en: name },
  internal_name: null,
  active: true,
  admission: true,
  default_price: "0.00",
  has_variations: false,
  variations: [],
});

function sum(positions: readonly Position[]): string {
  const cents = positions.reduce((total, { price }) => total + Math.round(Number(price) * 100), 0);
  return (cents / 100).toFixed(2);
}
