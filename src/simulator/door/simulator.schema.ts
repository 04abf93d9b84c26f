import Type, { type Static } from "typebox";
import { FAULT_KINDS } from "../faults.ts";

const LANGUAGE = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$";

export const PhoneCreate = Type.Object(
  {
    kind: Type.Enum(["iphone", "android"]),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    language: Type.Optional(
      Type.String({ pattern: LANGUAGE, maxLength: 35, mustBe: "a language such as en or de-CH" }),
    ),
  },
  { additionalProperties: false },
);
export type PhoneCreate = Static<typeof PhoneCreate>;

export const PassInstall = Type.Object(
  {
    /** The address of a .pkpass or .pkpasses file, of a pass's page, or a save link of Google. */
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 12_000 })),
    link: Type.Optional(Type.String({ minLength: 1, maxLength: 12_000 })),
  },
  { additionalProperties: false },
);
export type PassInstall = Static<typeof PassInstall>;

const answer = Type.Optional(Type.String({ maxLength: 300 }));
/** What the owner of a phone writes into the form of a pass. */
export const EnrolmentSend = Type.Object(
  {
    givenName: answer,
    familyName: answer,
    emailAddress: answer,
    phoneNumber: answer,
    postalCode: answer,
    ISOCountryCode: answer,
  },
  { additionalProperties: false },
);
export type EnrolmentSend = Static<typeof EnrolmentSend>;

export const FaultSet = Type.Object(
  {
    kind: Type.Enum([...FAULT_KINDS]),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  },
  { additionalProperties: false },
);
export type FaultSet = Static<typeof FaultSet>;

export const TokenSet = Type.Object(
  { as: Type.Enum(["gone", "bad"]) },
  { additionalProperties: false },
);
export type TokenSet = Static<typeof TokenSet>;

export const QuotaSet = Type.Object(
  { perSecond: Type.Integer({ minimum: 1, maximum: 100_000 }) },
  { additionalProperties: false },
);
export type QuotaSet = Static<typeof QuotaSet>;

export const AccountCreate = Type.Object(
  { hasAccess: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
);
export type AccountCreate = Static<typeof AccountCreate>;
