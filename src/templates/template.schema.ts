import Type, { type Static } from "typebox";
import { DataSchema } from "./data.schema.ts";

/** `server/passes/<passType>.yml`. Every `text` is Liquid; everything else is taken as written. */

export const KINDS = [
  "loyalty",
  "coupon",
  "eventTicket",
  "boardingPass",
  "giftCard",
  "generic",
] as const;
export type Kind = (typeof KINDS)[number];

export const SECTIONS = ["header", "primary", "secondary", "auxiliary", "back"] as const;
export type Section = (typeof SECTIONS)[number];

export function bySection<Value>(make: (section: Section) => Value): Record<Section, Value> {
  return {
    header: make("header"),
    primary: make("primary"),
    secondary: make("secondary"),
    auxiliary: make("auxiliary"),
    back: make("back"),
  };
}

export const IMAGE_SLOTS = [
  "icon",
  "logo",
  "wideLogo",
  "strip",
  "thumbnail",
  "background",
  "footer",
  "hero",
] as const;
export type ImageSlot = (typeof IMAGE_SLOTS)[number];

export const BARCODE_FORMATS = ["qr", "pdf417", "aztec", "code128"] as const;
export type BarcodeFormat = (typeof BARCODE_FORMATS)[number];

export const TRANSIT_TYPES = ["air", "train", "bus", "boat", "generic"] as const;
export type TransitType = (typeof TRANSIT_TYPES)[number];

/** The parser's work grows with this; a value of a pass is a line or a page of terms. */
export const TEXT_LENGTH_MAX = 8_192;
const FIELDS_PER_SECTION_MAX = 20;

const text = () => Type.String({ maxLength: TEXT_LENGTH_MAX });
const optionalText = () => Type.Optional(text());
const closed = { additionalProperties: false } as const;
const color = () => Type.Optional(Type.String({ pattern: "^#[0-9A-Fa-f]{6}$" }));
const image = () => Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));
const identifierNames = () =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 50, uniqueItems: true }),
  );
const dateStyle = () => Type.Optional(Type.Enum(["none", "short", "medium", "long", "full"]));

/** How a value that is a date or a number shows: by the phone on Apple, by us on Google. */
export const FieldFormat = Type.Object(
  {
    date: dateStyle(),
    time: dateStyle(),
    relative: Type.Optional(Type.Boolean()),
    number: Type.Optional(Type.Enum(["decimal", "percent", "scientific", "spellOut"])),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
  },
  closed,
);
export type FieldFormat = Static<typeof FieldFormat>;

export const Field = Type.Object(
  {
    key: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }),
    label: optionalText(),
    value: text(),
    change: optionalText(),
    align: Type.Optional(Type.Enum(["left", "center", "right", "natural"])),
    format: Type.Optional(FieldFormat),
    /** The second row of an event ticket's auxiliary fields. */
    row: Type.Optional(Type.Enum([0, 1])),
  },
  closed,
);
export type Field = Static<typeof Field>;

const fieldList = () => Type.Optional(Type.Array(Field, { maxItems: FIELDS_PER_SECTION_MAX }));

export const Fields = Type.Object(
  {
    header: fieldList(),
    primary: fieldList(),
    secondary: fieldList(),
    auxiliary: fieldList(),
    back: fieldList(),
  },
  closed,
);

export const TemplatePrivilege = Type.Object(
  {
    id: Type.String({ pattern: "^[\\w.-]{1,64}$" }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    type: Type.Enum(["OneTime", "Unlimited", "MultiUse", "Unlockable"]),
    value: Type.Optional(Type.Number()),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    unit: Type.Optional(Type.String({ maxLength: 50 })),
  },
  closed,
);
export type TemplatePrivilege = Static<typeof TemplatePrivilege>;

const place = () =>
  Type.Optional(Type.Object({ code: optionalText(), name: optionalText() }, closed));

/** Loyalty: who the member is, where the fields alone do not say it. */
const Member = Type.Object({ id: optionalText(), name: optionalText() }, closed);
/** Coupon. */
const Offer = Type.Object(
  {
    title: optionalText(),
    details: optionalText(),
    finePrint: optionalText(),
    redemption: Type.Optional(Type.Enum(["instore", "online", "both"])),
  },
  closed,
);
/** Gift card: `balance` is a number in units of `currency`. */
const GiftCard = Type.Object(
  {
    number: optionalText(),
    pin: optionalText(),
    balance: optionalText(),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
  },
  closed,
);
/** Event ticket: times are ISO 8601. */
const Event = Type.Object(
  {
    name: optionalText(),
    venue: optionalText(),
    address: optionalText(),
    doors: optionalText(),
    start: optionalText(),
    end: optionalText(),
    section: optionalText(),
    row: optionalText(),
    seat: optionalText(),
    gate: optionalText(),
    holder: optionalText(),
    ticketNumber: optionalText(),
    ticketType: optionalText(),
    confirmation: optionalText(),
  },
  closed,
);
/** Boarding pass: times are ISO 8601; `carrier` and the places' `code` are IATA codes for flights. */
const Transit = Type.Object(
  {
    type: Type.Enum([...TRANSIT_TYPES]),
    carrier: optionalText(),
    carrierName: optionalText(),
    number: optionalText(),
    origin: place(),
    destination: place(),
    departure: optionalText(),
    arrival: optionalText(),
    boarding: optionalText(),
    terminal: optionalText(),
    gate: optionalText(),
    platform: optionalText(),
    carriage: optionalText(),
    seat: optionalText(),
    class: optionalText(),
    group: optionalText(),
    passenger: optionalText(),
    confirmation: optionalText(),
    ticketNumber: optionalText(),
    roundTrip: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** Which block belongs to which kind. */
export const BLOCK_OF_KIND: Readonly<Partial<Record<Kind, Block>>> = {
  loyalty: "member",
  coupon: "offer",
  giftCard: "giftCard",
  eventTicket: "event",
  boardingPass: "transit",
};
export const BLOCKS = ["member", "offer", "giftCard", "event", "transit"] as const;
export type Block = (typeof BLOCKS)[number];

export const TemplateLocation = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    text: optionalText(),
  },
  closed,
);

export const Template = Type.Object(
  {
    kind: Type.Enum([...KINDS]),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    organization: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX }),
    description: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX }),
    logoText: optionalText(),
    colors: Type.Optional(
      Type.Object({ background: color(), foreground: color(), label: color() }, closed),
    ),
    images: Type.Optional(
      Type.Object(
        {
          icon: image(),
          logo: image(),
          wideLogo: image(),
          strip: image(),
          thumbnail: image(),
          background: image(),
          footer: image(),
          hero: image(),
        },
        closed,
      ),
    ),
    barcode: Type.Optional(
      Type.Object(
        { format: Type.Enum([...BARCODE_FORMATS]), message: text(), text: optionalText() },
        closed,
      ),
    ),
    identifiers: Type.Optional(
      Type.Object({ required: identifierNames(), unique: identifierNames() }, closed),
    ),
    data: Type.Optional(DataSchema),
    fields: Type.Optional(Fields),
    privileges: Type.Optional(Type.Array(TemplatePrivilege, { maxItems: 50 })),
    expiration: Type.Optional(
      Type.Object({ after: Type.Optional(Type.String()), at: optionalText() }, closed),
    ),
    locations: Type.Optional(
      Type.Union([Type.Literal("stores"), Type.Array(TemplateLocation, { maxItems: 100 })]),
    ),
    /** Shows no share button; default true: shareable. */
    sharing: Type.Optional(Type.Boolean()),
    /** Passes with the same text stack together in the wallet. */
    grouping: optionalText(),
    member: Type.Optional(Member),
    offer: Type.Optional(Offer),
    giftCard: Type.Optional(GiftCard),
    event: Type.Optional(Event),
    transit: Type.Optional(Transit),
  },
  closed,
);
export type Template = Static<typeof Template>;

/** `layouts/<passType>.google.yml`; that of Apple is any object, laid over pass.json. */
export const GoogleLayout = Type.Object(
  {
    class: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    object: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
export const AppleLayout = Type.Record(Type.String(), Type.Unknown());
