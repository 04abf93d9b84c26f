import Type, { type Static } from "typebox";
import { closed, optionalText, text } from "./field.ts";

/** What a wallet can ask the holder of a pass for. */
export const ENROLMENT_FIELDS = ["name", "email", "phone", "postalCode"] as const;
export type EnrolmentField = (typeof ENROLMENT_FIELDS)[number];

const member = (description: string, example: string, more: { default?: string } = {}) =>
  Type.Optional(
    Type.String({
      pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$",
      hint: "Use letters, digits, '_' and '-', at most 64 of them, and no digit at the start.",
      description,
      examples: [example],
      ...more,
    }),
  );

/** Where each answer is kept. Without a default, an answer is kept only if it is named. */
const Into = Type.Object(
  {
    firstName: member("For the first name.", "firstName", { default: "firstName" }),
    lastName: member("For the last name.", "lastName", { default: "lastName" }),
    fullName: member("For the whole name; without it, it is not kept.", "name"),
    email: member("For the e-mail address.", "email", { default: "email" }),
    phone: member("For the phone number, as the holder wrote it.", "phone", { default: "phone" }),
    postalCode: member("For the postal code.", "postalCode", { default: "postalCode" }),
    country: member("For the country of the postal code; without it, it is not kept.", "country"),
  },
  {
    ...closed,
    description: "The members of `additionalData` that the answers are kept in.",
    examples: [{ email: "mail" }],
  },
);

export const Enrolment = Type.Object(
  {
    fields: Type.Array(Type.Enum([...ENROLMENT_FIELDS]), {
      minItems: 1,
      maxItems: ENROLMENT_FIELDS.length,
      uniqueItems: true,
      description: "What the holder is asked for; a pass that has all of it asks no more.",
      examples: [["name", "email"]],
    }),
    description: text("What the holder signs up for, in a sentence or two.", "Join the Gold Club."),
    terms: optionalText(
      "What the holder must agree to; `<a href>` makes links.",
      "By signing up you agree to our rules.",
    ),
    into: Type.Optional(Into),
  },
  {
    ...closed,
    description:
      "What Apple Wallet asks of whoever adds the pass: only of kind `loyalty`, and with NFC.",
    examples: [{ fields: ["name", "email"], description: "Join the Gold Club." }],
  },
);
export type Enrolment = Static<typeof Enrolment>;
