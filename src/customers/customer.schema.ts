import Type, { type Static } from "typebox";
import { presenter, type ShownMembers } from "#kernel/members.ts";
import { IDENTIFIER_LENGTH_MAX, type Identifiers } from "./identifier.rules.ts";

const ID_EXAMPLE = "cus_0VfQm3Ks00x7Rk2LwPq9Zt";
const NAME_LENGTH_MAX = 200;
/** The longest address that mail can be sent to, by RFC 5321. */
const EMAIL_LENGTH_MAX = 254;
const LOCALE_LENGTH_MAX = 35;

const closed = { additionalProperties: false } as const;
const Moment = Type.String({ format: "date-time", maxLength: 40 });
const Identifier = Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX });

export const Consent = Type.Object(
  {
    granted: Type.Boolean({ description: "False for one that was refused or taken back." }),
    at: Moment,
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "Where it was given." }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "The words they agreed to." }),
    ),
  },
  { ...closed, title: "Consent" },
);
export type Consent = Static<typeof Consent>;

const name = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });
const texts = {
  email: Type.String({ format: "email", maxLength: EMAIL_LENGTH_MAX }),
  phone: Type.String({
    pattern: "^\\+[1-9][0-9]{6,14}$",
    mustBe: "a phone number with its country code, such as +33142720000",
    description: "E.164: the country code first, digits only.",
    examples: ["+33142720000"],
  }),
  firstName: name,
  lastName: name,
  locale: Type.String({
    pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
    maxLength: LOCALE_LENGTH_MAX,
    mustBe: "a language tag, such as de or pt-BR",
    description: "The language they prefer, as a BCP 47 tag.",
    examples: ["fr-CH"],
  }),
};

const IDENTIFIERS =
  "External identifiers, by which passes are found too. Each name is `<source>.<name>`; no two customers share one.";
const CONSENTS = "What they agreed to or not, by a name of yours.";

/** A customer as shown in the API and in events. */
export const CustomerResource = Type.Object(
  {
    customerId: Type.String({ examples: [ID_EXAMPLE] }),
    identifiers: Type.Record(Type.String(), Identifier, { description: IDENTIFIERS }),
    email: Type.Union([texts.email, Type.Null()]),
    phone: Type.Union([texts.phone, Type.Null()]),
    firstName: Type.Union([name, Type.Null()]),
    lastName: Type.Union([name, Type.Null()]),
    locale: Type.Union([texts.locale, Type.Null()]),
    consents: Type.Record(Type.String(), Consent, { description: CONSENTS }),
    createdAt: Moment,
    updatedAt: Moment,
    version: Type.Integer({ minimum: 1, description: "Rises with every change." }),
  },
  { title: "Customer" },
);
export type CustomerResource = Static<typeof CustomerResource>;

const maybe = <Schema extends Type.TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const sent = {
  email: maybe(texts.email),
  phone: maybe(texts.phone),
  firstName: maybe(name),
  lastName: maybe(name),
  locale: maybe(texts.locale),
};

export const CustomerCreate = Type.Object(
  {
    identifiers: Type.Optional(
      Type.Record(Type.String(), Identifier, { description: IDENTIFIERS }),
    ),
    ...sent,
    consents: Type.Optional(Type.Record(Type.String(), Consent, { description: CONSENTS })),
  },
  { ...closed, title: "CustomerCreate" },
);
export type CustomerCreate = Static<typeof CustomerCreate>;

const MERGED = "Those sent are set, null deletes one, the others stay.";

export const CustomerUpdate = Type.Object(
  {
    identifiers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Identifier, Type.Null()]), { description: MERGED }),
    ),
    ...sent,
    consents: Type.Optional(
      Type.Record(Type.String(), Type.Union([Consent, Type.Null()]), { description: MERGED }),
    ),
  },
  { ...closed, title: "CustomerUpdate" },
);
export type CustomerUpdate = Static<typeof CustomerUpdate>;

export const CustomerParams = Type.Object({
  tenantId: Type.String(),
  customerId: Type.String({ description: "The customer.", examples: [ID_EXAMPLE] }),
});

export type CustomerFields = {
  readonly identifiers: Identifiers;
  readonly email: string | null;
  readonly phone: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly locale: string | null;
  readonly consents: Readonly<Record<string, Consent>>;
};

export type Customer = CustomerFields & {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
};

/** All members of a customer, in the order shown. CONTRIBUTING.md explains how to add one. */
export const CUSTOMER_MEMBERS = {
  id: { column: "id", type: "text", written: "insert", shownAs: "customerId" },
  identifiers: { column: "identifiers", type: "jsonb", written: "always", shownAs: "identifiers" },
  email: { column: "email", type: "text", written: "always", shownAs: "email" },
  phone: { column: "phone", type: "text", written: "always", shownAs: "phone" },
  firstName: { column: "first_name", type: "text", written: "always", shownAs: "firstName" },
  lastName: { column: "last_name", type: "text", written: "always", shownAs: "lastName" },
  locale: { column: "locale", type: "text", written: "always", shownAs: "locale" },
  consents: { column: "consents", type: "jsonb", written: "always", shownAs: "consents" },
  createdAt: { column: "created_at", type: "timestamptz", written: "insert", shownAs: "createdAt" },
  // `updateCustomer` sets the time and the version itself.
  updatedAt: { column: "updated_at", type: "timestamptz", written: "insert", shownAs: "updatedAt" },
  version: { column: "version", type: "integer", written: "never", shownAs: "version" },
} as const satisfies ShownMembers<Customer, CustomerResource>;

export const presentCustomer = presenter<Customer, CustomerResource, typeof CUSTOMER_MEMBERS>(
  CUSTOMER_MEMBERS,
);

/** Contains the id, so that two customers never have the same version. */
export function versionOf({ id, version }: Customer): string {
  return `${id}.${version}`;
}

export const CUSTOMER_EXAMPLE: CustomerResource = {
  customerId: ID_EXAMPLE,
  identifiers: { "crm.id": "C-4711", "loyalty.number": "40012345" },
  email: "camille@example.com",
  phone: "+33142720000",
  firstName: "Camille",
  lastName: "Laurent",
  locale: "fr-FR",
  consents: {
    newsletter: { granted: true, at: "2026-01-31T09:30:00.000Z", source: "till in the Marais" },
  },
  createdAt: "2026-01-31T09:30:00.000Z",
  updatedAt: "2026-01-31T09:30:00.000Z",
  version: 1,
};
