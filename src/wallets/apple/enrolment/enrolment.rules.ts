import type { Enrolment, EnrolmentField, Kind } from "#src/templates/language/public.ts";

/** The parts of an answer. An answer to `name` has up to three of them. */
export type AnswerPart = keyof NonNullable<Enrolment["into"]>;
export type Answers = Readonly<Partial<Record<AnswerPart, string>>>;

/** The members that an answer is kept in, unless the template names others. */
const MEMBERS: Readonly<Partial<Record<AnswerPart, string>>> = {
  firstName: "firstName",
  lastName: "lastName",
  email: "email",
  phone: "phone",
  postalCode: "postalCode",
};

/** The first part is the one that an answer cannot be without. */
const PARTS: Readonly<Record<EnrolmentField, readonly [AnswerPart, ...AnswerPart[]]>> = {
  name: ["firstName", "lastName", "fullName"],
  email: ["email"],
  phone: ["phone"],
  postalCode: ["postalCode", "country"],
};

/** The parts that a template asks for, each with its member of `additionalData`. */
export function keptParts({ fields, into = {} }: Enrolment): ReadonlyMap<AnswerPart, string> {
  const members = { ...MEMBERS, ...into };
  const parts = fields.flatMap((field) => PARTS[field]);
  return new Map(
    parts.flatMap((part) => {
      const member = members[part];
      return member === undefined ? [] : [[part, member] as const];
    }),
  );
}

/** The parts that an answer must have, each with its member of `additionalData`. */
export function neededParts(enrolment: Enrolment): ReadonlyMap<AnswerPart, string> {
  const needed = new Set(enrolment.fields.map((field) => PARTS[field][0]));
  return new Map([...keptParts(enrolment)].filter(([part]) => needed.has(part)));
}

/**
 * True while something is missing that the template asks for. What is known of a holder is the data
 * of the pass and nothing else: a tenant that knows the name and address sends them along, and the
 * phone does not ask.
 */
export function lacksAnswers(
  enrolment: Enrolment | undefined,
  data: Readonly<Record<string, unknown>>,
): boolean {
  if (enrolment === undefined) return false;
  return [...neededParts(enrolment).values()].some((member) => {
    const value = Object.hasOwn(data, member) ? data[member] : undefined;
    return value === undefined || value === null || value === "";
  });
}

/** Apple Wallet asks only on this kind of pass. */
export const ENROLMENT_KIND: Kind = "loyalty";
