import Type, { type Static } from "typebox";
import { fieldErrors, noErrors } from "#kernel/http/validation.ts";
import { isObject } from "#kernel/json.ts";
import type { Enrolment } from "#src/templates/language/public.ts";
import { type AnswerPart, type Answers, keptParts, neededParts } from "./enrolment.rules.ts";

const TOKEN_LENGTH_MAX = 4_096;
const NAME_LENGTH_MAX = 200;
/** The longest address that mail can be sent to, by RFC 5321. */
const EMAIL_LENGTH_MAX = 254;
const NAME = "^[^\\p{Cc}]*$";

const name = Type.Optional(
  Type.String({ maxLength: NAME_LENGTH_MAX, pattern: NAME, mustBe: "one line of text" }),
);

/** As Apple Wallet names them. Members that it may add one day are left aside. */
const Info = Type.Object({
  fullName: name,
  givenName: name,
  familyName: name,
  emailAddress: Type.Optional(Type.String({ format: "email", maxLength: EMAIL_LENGTH_MAX })),
  phoneNumber: Type.Optional(
    Type.String({
      pattern: "^[+0-9(][-+0-9 ().\\u00a0\\u2010-\\u2015/;,x#*]{2,39}$",
      mustBe: "a phone number",
    }),
  ),
  postalCode: Type.Optional(
    Type.String({ pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N} -]{0,19}$", mustBe: "a postal code" }),
  ),
  ISOCountryCode: Type.Optional(
    Type.String({ pattern: "^[A-Za-z]{2}$", mustBe: "the two letters of a country" }),
  ),
});
type Info = Static<typeof Info>;

const Sent = Type.Object({
  personalizationToken: Type.String({
    minLength: 1,
    maxLength: TOKEN_LENGTH_MAX,
    // Our answer is this token signed as the lists of files in bundles are. A token that can be
    // read as such a list would let its sender make passes in the name of the tenant.
    pattern: "^[A-Za-z0-9+/=._~:;,|!$*@%-]+$",
    mustBe: "a token of letters, digits and a few signs, without braces, quotes and spaces",
  }),
  requiredPersonalizationInfo: Info,
});

const NAMES: Readonly<Record<AnswerPart, keyof Info>> = {
  firstName: "givenName",
  lastName: "familyName",
  fullName: "fullName",
  email: "emailAddress",
  phone: "phoneNumber",
  postalCode: "postalCode",
  country: "ISOCountryCode",
};

export type ReadAnswer =
  | { readonly ok: true; readonly token: string; readonly answers: Answers }
  | { readonly ok: false; readonly errors: Record<string, string[]> };

/** Only what the template asks for is read: nobody has asked for the rest, so it is not kept. */
export function readAnswer(enrolment: Enrolment, body: unknown): ReadAnswer {
  const sent = withoutEmpty(body);
  const wrong = fieldErrors(Sent, sent);
  if (wrong !== undefined) return { ok: false, errors: wrong };
  const { personalizationToken: token, requiredPersonalizationInfo: info } = sent as Static<
    typeof Sent
  >;
  // Not every name has a first and a last one.
  const known: Partial<Record<keyof Info, string | undefined>> = {
    ...info,
    givenName: info.givenName ?? info.fullName,
  };
  const errors = noErrors();
  for (const part of neededParts(enrolment).keys()) {
    if (known[NAMES[part]] === undefined) {
      errors[`requiredPersonalizationInfo.${NAMES[part]}`] = ["is required"];
    }
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const answers = [...keptParts(enrolment).keys()].flatMap((part) => {
    const text = known[NAMES[part]];
    return text === undefined ? [] : [[part, text] as const];
  });
  return { ok: true, token, answers: Object.fromEntries(answers) };
}

/** A phone may send empty texts for what it did not ask. */
function withoutEmpty(body: unknown): unknown {
  const info = isObject(body) ? body.requiredPersonalizationInfo : undefined;
  if (!isObject(body) || !isObject(info)) return body;
  const given = Object.entries(info)
    .map(([key, value]) => [key, typeof value === "string" ? value.trim() : value])
    .filter(([, value]) => value !== "" && value !== null);
  return { ...body, requiredPersonalizationInfo: Object.fromEntries(given) };
}
