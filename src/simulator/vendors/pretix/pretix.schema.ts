import Type, { type Static } from "typebox";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });
const slug = Type.String({ pattern: "^[a-zA-Z0-9.\\-_]+$", maxLength: 50 });
const money = Type.String({
  pattern: "^\\d{1,9}(\\.\\d{1,2})?$",
  mustBe: "an amount such as 12.50",
});
const maybe = (maxLength: number) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));

export const OrganizerCreate = Type.Object(
  { slug, name: Type.Optional(text()), token: Type.Optional(text()) },
  closed,
);
export type OrganizerCreate = Static<typeof OrganizerCreate>;

export const EventCreate = Type.Object(
  {
    organizer: Type.Optional(text()),
    slug,
    name: Type.Optional(text()),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
    date_from: Type.Optional(text(40)),
    location: Type.Optional(text()),
    /** Names of products; their ids are counted from 1. */
    items: Type.Optional(Type.Array(text(), { minItems: 1, maxItems: 100 })),
    /** An event series: its tickets are for one of its dates. */
    has_subevents: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type EventCreate = Static<typeof EventCreate>;

export const EventChange = Type.Object(
  {
    name: Type.Optional(text()),
    date_from: Type.Optional(text(40)),
    location: Type.Optional(text()),
  },
  closed,
);
export type EventChange = Static<typeof EventChange>;

const ofDate = { name: Type.Optional(text()), date_to: maybe(40), location: maybe(200) };
export const DateCreate = Type.Object(
  { organizer: Type.Optional(text()), event: text(), date_from: text(40), ...ofDate },
  closed,
);
export type DateCreate = Static<typeof DateCreate>;
export const DateChange = Type.Object({ date_from: Type.Optional(text(40)), ...ofDate }, closed);
export type DateChange = Static<typeof DateChange>;

const attendee = { attendee_name: maybe(200), attendee_email: maybe(320) };
const number = Type.Optional(Type.Integer({ minimum: 1 }));
export const PositionChange = Type.Object({ ...attendee, item: number, subevent: number }, closed);
export type PositionChange = Static<typeof PositionChange>;

export const OrderCreate = Type.Object(
  {
    organizer: Type.Optional(text()),
    event: text(),
    email: maybe(320),
    positions: Type.Array(
      Type.Object(
        {
          ...attendee,
          item: number,
          price: Type.Optional(money),
          subevent: number,
        },
        closed,
      ),
      { minItems: 1, maxItems: 100 },
    ),
    /** Whether it is paid at once. */
    paid: Type.Optional(Type.Boolean()),
    /** Waits for the organizer to approve it. */
    requireApproval: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type OrderCreate = Static<typeof OrderCreate>;

export const ContactChange = Type.Object({ email: text(320) }, closed);
export type ContactChange = Static<typeof ContactChange>;

export const CheckInCreate = Type.Object(
  {
    list: Type.Optional(Type.Integer({ minimum: 1 })),
    type: Type.Optional(Type.Enum(["entry", "exit"])),
  },
  closed,
);
export type CheckInCreate = Static<typeof CheckInCreate>;

/** As the API takes it; more members are let be. */
export const Redeem = Type.Object({
  secret: text(),
  lists: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 100 }),
  nonce: Type.Optional(text()),
  datetime: Type.Optional(Type.Union([text(40), Type.Null()])),
});
export type Redeem = Static<typeof Redeem>;

/** As the API takes it. */
export const WebhookCreate = Type.Object({
  target_url: text(2_000),
  enabled: Type.Optional(Type.Boolean()),
  all_events: Type.Optional(Type.Boolean()),
  limit_events: Type.Optional(Type.Array(text(), { maxItems: 100 })),
  action_types: Type.Array(text(), { minItems: 1, maxItems: 100 }),
});
export type WebhookCreate = Static<typeof WebhookCreate>;
export const WebhookControl = Type.Object(
  {
    organizer: Type.Optional(text()),
    target_url: text(2_000),
    /** All events if nothing is said. */
    limit_events: Type.Optional(Type.Array(text(), { maxItems: 100 })),
    /** All actions of orders and check-ins if nothing is said. */
    action_types: Type.Optional(Type.Array(text(), { minItems: 1, maxItems: 100 })),
  },
  closed,
);
export type WebhookControl = Static<typeof WebhookControl>;
