import Type, { type Static } from "typebox";

/** The schemas of texts, fields and formats in a template. */

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

/** The parser takes longer for longer texts. This is enough for a page of terms. */
export const TEXT_LENGTH_MAX = 8_192;
const FIELDS_PER_SECTION_MAX = 20;

export const closed = { additionalProperties: false } as const;

/** A text with Liquid. All other members of a template are taken as written. */
export const text = (description: string, example: string) =>
  Type.String({
    maxLength: TEXT_LENGTH_MAX,
    isLiquid: true,
    description,
    examples: [example],
  });

export const optionalText = (description: string, example: string) =>
  Type.Optional(text(description, example));

export const currency = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^[A-Z]{3}$",
      hint: "Use the three capital letters of ISO 4217, as in EUR.",
      description,
      examples: ["EUR"],
    }),
  );

const dateStyle = (description: string, example: string) =>
  Type.Optional(
    Type.Enum(["none", "short", "medium", "long", "full"], { description, examples: [example] }),
  );

/**
 * How a date or a number is shown. For Apple the phone formats it, for Google this service does.
 */
export const FieldFormat = Type.Object(
  {
    date: dateStyle("How much of the date shows; the value is an ISO 8601 date.", "medium"),
    time: dateStyle("How much of the time shows; the value is an ISO 8601 time.", "short"),
    timeZone: optionalText(
      "The time zone in which the time is meant and shown, by its IANA name; without it that of the tenant.",
      "America/New_York",
    ),
    relative: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether Apple Wallet shows how far away the date is, such as 'in 2 days'.",
        examples: [true],
      }),
    ),
    number: Type.Optional(
      Type.Enum(["decimal", "percent", "scientific", "spellOut"], {
        description: "How the number is written; only Apple Wallet spells it out.",
        examples: ["decimal"],
      }),
    ),
    currency: currency("The value is an amount of this currency (ISO 4217)."),
  },
  {
    ...closed,
    title: "Format",
    description: "For values that are dates, numbers or amounts; one of them.",
    examples: [{ date: "medium", time: "short" }],
  },
);
export type FieldFormat = Static<typeof FieldFormat>;

export const Field = Type.Object(
  {
    key: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,64}$",
      hint: "Use letters, digits, '_' and '-', at most 64 of them.",
      description: "By which both wallets know the field; no two of a template are the same.",
      examples: ["points"],
    }),
    label: optionalText("What stands above the value.", "Points"),
    value: text("What the field shows.", "{{ privileges.points.value }}"),
    change: optionalText(
      "What the holder is told when the value changes; `%@` stands once for the new one. A percent sign is written as it is; `%%` is one, too.",
      "You now have %@ points",
    ),
    align: Type.Optional(
      Type.Enum(["left", "center", "right", "natural"], {
        default: "natural",
        description: "Where the text stands in its place.",
        examples: ["right"],
      }),
    ),
    format: Type.Optional(FieldFormat),
    row: Type.Optional(
      Type.Enum([0, 1], {
        default: 0,
        description: "The row of an auxiliary field on an event ticket.",
        examples: [1],
      }),
    ),
  },
  { ...closed, title: "Field" },
);
export type Field = Static<typeof Field>;

const fieldList = (description: string) =>
  Type.Optional(
    Type.Array(Field, {
      maxItems: FIELDS_PER_SECTION_MAX,
      description,
      examples: [[{ key: "name", label: "Member", value: "{{ data.firstName }}" }]],
    }),
  );

export const Fields = Type.Object(
  {
    header: fieldList("Beside the logo; shows when the pass stands in a stack with others."),
    primary: fieldList("The one thing to see."),
    secondary: fieldList("Below the primary fields."),
    auxiliary: fieldList("Below the secondary fields."),
    back: fieldList("What is there to read for those who turn the pass over."),
  },
  {
    ...closed,
    description: "What the pass shows, by the place where it stands.",
    examples: [{ primary: [{ key: "name", label: "Member", value: "{{ data.firstName }}" }] }],
  },
);
