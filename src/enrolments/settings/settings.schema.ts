import Type, { type Static } from "typebox";

/** The contents of `server/enrolment.yml`: which pass types have a public form, and what it asks. */

export const ENROLMENT_FILE = "server/enrolment.yml";
export const FIELDS_MAX = 30;
export const CONSENTS_MAX = 10;
const IDENTIFIERS_MAX = 10;

const closed = { additionalProperties: false } as const;

type TextOptions = { readonly description: string; readonly example: string };

/** A text, or the same text in several languages. */
const text = (lengthMax: number, { description, example }: TextOptions) =>
  Type.Union(
    [
      Type.String({ minLength: 1, maxLength: lengthMax }),
      Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: lengthMax }), {
        minProperties: 1,
        maxProperties: 50,
      }),
    ],
    { description, examples: [example] },
  );
export type LocalizedText = string | Readonly<Record<string, string>>;

/** What a field is for the customer. */
export const PERSONAL = ["firstName", "lastName", "email", "phone"] as const;
export type Personal = (typeof PERSONAL)[number];

const Field = Type.Object(
  {
    member: Type.String({
      pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$",
      hint: "Use letters, digits, '_' and '-', at most 64 of them, and no digit at the start.",
      description: "The member of `additionalData` that the answer is kept in.",
      examples: ["firstName"],
    }),
    as: Type.Optional(
      Type.Enum([...PERSONAL], {
        description:
          "What the answer is for the customer. Members of these names are it by themselves.",
        examples: ["email"],
      }),
    ),
    required: Type.Optional(
      Type.Boolean({
        description:
          "Whether the form needs an answer; default: whether the template needs the member.",
        examples: [true],
      }),
    ),
    label: Type.Optional(
      text(200, {
        description:
          "What the form calls it; default: a usual name in the visitor's language, or the `title` of the template.",
        example: "Birthday",
      }),
    ),
    hint: Type.Optional(
      text(500, { description: "A sentence below the label.", example: "For a surprise." }),
    ),
  },
  { ...closed, title: "EnrolmentField" },
);
export type FieldSettings = Static<typeof Field>;

const Consent = Type.Object(
  {
    id: Type.String({
      pattern: "^[\\w.-]{1,64}$",
      hint: "Use letters, digits, '.', '_' and '-', at most 64 of them.",
      description: "The name of the consent with the customer.",
      examples: ["terms"],
    }),
    text: text(2_000, {
      description: "What the visitor agrees to. It is recorded with the answer, as it was shown.",
      example: "I agree to the rules of the Gold Club.",
    }),
    required: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether nobody gets a pass without it.",
        examples: [true],
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^https://[^\\s\"'<>]{1,500}$",
        hint: "Use an address that begins with https://.",
        description: "Where the whole text can be read.",
        examples: ["https://cafe-lune.example/rules"],
      }),
    ),
  },
  { ...closed, title: "EnrolmentConsent" },
);
export type ConsentSettings = Static<typeof Consent>;

const Identifier = Type.Object(
  {
    member: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Its value is the answer to this field.",
        examples: ["email"],
      }),
    ),
    digits: Type.Optional(
      Type.Integer({
        minimum: 8,
        maximum: 18,
        description: "Its value is a new number of so many random digits.",
        examples: [10],
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9-]{1,16}$",
        hint: "Use letters, digits and '-', at most 16 of them.",
        description: "Stands before the digits.",
        examples: ["40"],
      }),
    ),
  },
  { ...closed, title: "EnrolmentIdentifier" },
);
export type IdentifierSettings = Static<typeof Identifier>;

export const FormSettings = Type.Object(
  {
    title: Type.Optional(
      text(200, {
        description: "The heading; default: the description of the pass.",
        example: "Join the Gold Club",
      }),
    ),
    description: Type.Optional(
      text(1_000, {
        description: "What the visitor gets, in a sentence or two.",
        example: "Collect a moon with every coffee. The tenth is on us.",
      }),
    ),
    button: Type.Optional(
      text(60, { description: "The words on the button.", example: "Get my card" }),
    ),
    fields: Type.Array(Field, {
      minItems: 1,
      maxItems: FIELDS_MAX,
      description: "What the form asks for, in this order.",
      examples: [[{ member: "firstName" }, { member: "email", required: true }]],
    }),
    consents: Type.Optional(
      Type.Array(Consent, {
        maxItems: CONSENTS_MAX,
        description: "What the visitor may or must agree to.",
        examples: [[{ id: "terms", text: "I agree to the rules.", required: true }]],
      }),
    ),
    identifiers: Type.Optional(
      Type.Record(Type.String(), Identifier, {
        maxProperties: IDENTIFIERS_MAX,
        description: "Identifiers of the new pass, by name: from an answer, or a new number.",
        examples: [{ "loyalty.number": { digits: 10, prefix: "40" } }],
      }),
    ),
    data: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 50,
        description: "Members of `additionalData` that every new pass gets.",
        examples: [{ tier: "Crescent" }],
      }),
    ),
  },
  { ...closed, title: "EnrolmentForm" },
);
export type FormSettings = Static<typeof FormSettings>;

export const EnrolmentSettings = Type.Object(
  {
    passTypes: Type.Record(Type.String(), FormSettings, {
      maxProperties: 100,
      description: "The pass types that have a form at `/e/{tenantId}/{passType}`.",
      examples: [{ loyalty: { fields: [{ member: "firstName" }, { member: "email" }] } }],
    }),
  },
  closed,
);
export type EnrolmentSettings = Static<typeof EnrolmentSettings>;

/** What a field is for the customer, by its setting or by its name. */
export function personalOf({
  member,
  as,
}: Pick<FieldSettings, "member" | "as">): Personal | undefined {
  return as ?? PERSONAL.find((name) => name === member);
}
