import Type, { type Static } from "typebox";
import { type Block, Event, GiftCard, Member, Offer, Transit } from "./schema/block.ts";
import { coordinates } from "./schema/coordinates.ts";
import { DataSchema } from "./schema/data.ts";
import { Enrolment } from "./schema/enrolment.ts";
import { closed, Fields, optionalText, TEXT_LENGTH_MAX, text } from "./schema/field.ts";
import { BEACONS_MAX, Nfc, TemplateBeacon } from "./schema/proximity.ts";

/**
 * The file `server/passes/<passType>.yml`. Members with `isLiquid` are Liquid; all other members
 * are taken as written.
 */

export const KINDS = [
  "loyalty",
  "coupon",
  "eventTicket",
  "boardingPass",
  "giftCard",
  "generic",
] as const;
export type Kind = (typeof KINDS)[number];

export const IMAGE_SLOTS = [
  "icon",
  "logo",
  "wideLogo",
  "strip",
  "thumbnail",
  "background",
  "footer",
  "hero",
  "enrolmentLogo",
  "artwork",
  "primaryLogo",
  "secondaryLogo",
] as const;
export type ImageSlot = (typeof IMAGE_SLOTS)[number];

export const BARCODE_FORMATS = ["qr", "pdf417", "aztec", "code128"] as const;
export type BarcodeFormat = (typeof BARCODE_FORMATS)[number];

const color = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      pattern: "^#[0-9A-Fa-f]{6}$",
      hint: "Write it as in '#1f2a44', in quotes.",
      description,
      examples: [example],
    }),
  );
const image = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description,
      examples: [`images/${example}.png`],
    }),
  );
const identifierNames = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: 50,
      uniqueItems: true,
      description,
      examples: [["loyalty.number"]],
    }),
  );

/** The id of a privilege, wherever a request names one. */
export const PRIVILEGE_ID = {
  // Clients remove '.' and '..' from the path of an address before they send it.
  pattern: "^(?!\\.{1,2}$)[\\w.-]{1,64}$",
  mustBe: "the id of a privilege: 1 to 64 letters, digits, '_', '.' or '-', not '.' or '..' alone",
};

/** The minimum of a privilege that names none. */
export const PRIVILEGE_MINIMUM = 0;

export const TemplatePrivilege = Type.Object(
  {
    id: Type.String({
      // With '.' and '..', which former releases published: such a template must still be read.
      pattern: "^[\\w.-]{1,64}$",
      hint: "Use letters, digits, '.', '_' and '-', at most 64 of them.",
      description: "By which texts and callers know it.",
      examples: ["points"],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What people call it.",
      examples: ["Points"],
    }),
    type: Type.Enum(["OneTime", "Unlimited", "MultiUse", "Unlockable"], {
      description: "Used once, as often as one likes, down to nothing, or once it is unlocked.",
      examples: ["MultiUse"],
    }),
    value: Type.Optional(
      Type.Number({
        description: "What a new pass begins with: 1 or 0 for `OneTime`.",
        examples: [0],
      }),
    ),
    minimum: Type.Optional(
      Type.Number({
        default: PRIVILEGE_MINIMUM,
        description: "It never falls below.",
        examples: [0],
      }),
    ),
    maximum: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], {
        default: null,
        description: "It never rises above; null for no bound.",
        examples: [10],
      }),
    ),
    unit: Type.Optional(
      Type.String({ maxLength: 50, description: "What is counted.", examples: ["stamp"] }),
    ),
  },
  { ...closed, title: "Privilege" },
);
export type TemplatePrivilege = Static<typeof TemplatePrivilege>;

/** The block that a kind of pass may have. Blocks of other kinds are refused. */
export const BLOCK_OF_KIND: Readonly<Partial<Record<Kind, Block>>> = {
  loyalty: "member",
  coupon: "offer",
  giftCard: "giftCard",
  eventTicket: "event",
  boardingPass: "transit",
};

export const TemplateLocation = Type.Object(
  {
    ...coordinates,
    text: optionalText("Shown on the lock screen when the holder is near.", "Welcome back"),
  },
  { ...closed, title: "Location" },
);

const Colors = Type.Object(
  {
    background: color("Of the pass itself.", "#1f2a44"),
    foreground: color("Of values.", "#ffffff"),
    label: color("Of labels.", "#c9d3ea"),
  },
  {
    ...closed,
    description: "Of the pass, in both wallets.",
    examples: [{ background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }],
  },
);

const Images = Type.Object(
  {
    icon: image(
      "Shown in notifications. Google takes it for a missing logo as well, except on coupons, event tickets and flights. Every template needs one.",
      "icon",
    ),
    logo: image("At the top left on Apple.", "logo"),
    wideLogo: image("At the top on Google.", "wide-logo"),
    strip: image("Behind the primary fields on Apple.", "strip"),
    thumbnail: image("Beside the fields on Apple.", "thumbnail"),
    background: image("Behind an event ticket on Apple, blurred.", "background"),
    footer: image("Above the barcode of a boarding pass on Apple.", "footer"),
    hero: image("Across the pass on Google.", "hero"),
    enrolmentLogo: image(
      "Above the questions of `enrolment` on Apple; without it the logo stands there.",
      "enrolment-logo",
    ),
    artwork: image(
      "The whole front of a poster, on Apple from iOS 18 (event tickets) and 27 (cards).",
      "artwork",
    ),
    primaryLogo: image(
      "The logo of posters and of the boarding pass of iOS 26, on Apple.",
      "primary-logo",
    ),
    secondaryLogo: image("A second, flat logo on the poster of an event, on Apple.", "second-logo"),
  },
  {
    ...closed,
    description: "Paths of PNG, JPEG or WebP files, each fitted to its places and scales.",
    examples: [{ icon: "images/icon.png" }],
  },
);

const Barcode = Type.Object(
  {
    format: Type.Enum([...BARCODE_FORMATS], {
      description: "Which code it is; Apple Watch shows no `code128`.",
      examples: ["qr"],
    }),
    message: text("What a scanner reads.", "{{ pass.id }}"),
    text: optionalText("What stands below the code.", "{{ identifiers['loyalty.number'] }}"),
  },
  {
    ...closed,
    description: "What a scanner reads from the pass.",
    examples: [{ format: "qr", message: "{{ pass.id }}" }],
  },
);

const Expiration = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        description: "How long after it was made, as an ISO 8601 duration; or `at`.",
        examples: ["P2Y"],
      }),
    ),
    at: optionalText(
      "The date, or date and time (ISO 8601); a text of few steps. Without an offset it means the time zone of the event, or of where the journey ends; where none is named, the tenant's.",
      "{{ data.validUntil }}",
    ),
  },
  {
    ...closed,
    description: "When passes expire by themselves; without it they do not.",
    examples: [{ after: "P2Y" }],
  },
);

const Identifiers = Type.Object(
  {
    required: identifierNames("Those that every pass must have."),
    unique: identifierNames("Those that no two passes of the type share."),
  },
  {
    ...closed,
    description: "Names of identifiers, `<source>.<name>`, by which other systems know a pass.",
    examples: [{ required: ["loyalty.number"], unique: ["loyalty.number"] }],
  },
);

export const Template = Type.Object(
  {
    kind: Type.Enum([...KINDS], {
      description: "Which kind of pass it is: both wallets arrange it accordingly.",
      examples: ["loyalty"],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What you call it; Google Wallet shows it as the programme or class.",
      examples: ["Gold Club"],
    }),
    organization: Type.String({
      minLength: 1,
      maxLength: TEXT_LENGTH_MAX,
      isLiquid: true,
      description:
        "Who issues the pass; the name of the tenant stands in where it is empty for a pass.",
      examples: ["Café Lune"],
    }),
    description: Type.String({
      minLength: 1,
      maxLength: TEXT_LENGTH_MAX,
      isLiquid: true,
      description: "What it is; read aloud by both wallets.",
      examples: ["Gold Club card"],
    }),
    logoText: optionalText("Beside the logo on Apple.", "Café Lune"),
    colors: Type.Optional(Colors),
    images: Type.Optional(Images),
    barcode: Type.Optional(Barcode),
    identifiers: Type.Optional(Identifiers),
    data: Type.Optional(DataSchema),
    fields: Type.Optional(Fields),
    privileges: Type.Optional(
      Type.Array(TemplatePrivilege, {
        maxItems: 50,
        description: "Given to every new pass: points, stamps, entries.",
        examples: [[{ id: "points", name: "Points", type: "MultiUse", value: 0 }]],
      }),
    ),
    expiration: Type.Optional(Expiration),
    locations: Type.Optional(
      Type.Union([Type.Literal("stores"), Type.Array(TemplateLocation, { maxItems: 100 })], {
        description: "Where the pass comes forward: `stores`, or a list.",
        examples: ["stores"],
      }),
    ),
    beacons: Type.Optional(
      Type.Array(TemplateBeacon, {
        maxItems: BEACONS_MAX,
        description: "Beacons near which the pass comes forward, on Apple.",
        examples: [[{ uuid: "6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11", major: 1 }]],
      }),
    ),
    nfc: Type.Optional(Nfc),
    sharing: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Whether the wallet offers to share the pass.",
        examples: [false],
      }),
    ),
    grouping: optionalText("Passes with the same text stack together.", "{{ data.event }}"),
    enrolment: Type.Optional(Enrolment),
    member: Type.Optional(Member),
    offer: Type.Optional(Offer),
    giftCard: Type.Optional(GiftCard),
    event: Type.Optional(Event),
    transit: Type.Optional(Transit),
  },
  closed,
);
export type Template = Static<typeof Template>;

const layoutObject = (description: string, example: object) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] }));

/**
 * The file `layouts/<passType>.google.yml`. The layout for Apple is any object, which is merged
 * over pass.json.
 */
export const GoogleLayout = Type.Object(
  {
    class: layoutObject("Laid over the class.", {
      viewUnlockRequirement: "UNLOCK_REQUIRED_TO_VIEW",
    }),
    object: layoutObject("Laid over the object.", { groupingInfo: { sortIndex: 1 } }),
  },
  closed,
);
export const AppleLayout = Type.Record(Type.String(), Type.Unknown());
