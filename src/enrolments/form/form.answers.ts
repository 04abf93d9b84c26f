import Type from "typebox";
import { inexactness } from "#kernel/exact-number.ts";
import { fieldErrors } from "#kernel/http/validation.ts";
import type { ConsentSettings, Personal } from "../settings/settings.schema.ts";
import type { Field } from "./form.fields.ts";

/** What is wrong with an answer. The page has a sentence for each. */
export type AnswerProblem =
  | "required"
  | "too-long"
  | "too-short"
  | "email"
  | "phone"
  | "url"
  | "date"
  | "integer"
  | "number"
  | "digits"
  | "range"
  | "choice"
  | "consent"
  | "other";

export type Answers = {
  /** By member of `additionalData`. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly personal: Readonly<Partial<Record<Personal, string>>>;
  /** By the id of the consent. */
  readonly consents: Readonly<Record<string, boolean>>;
};

/** What was sent, as the page shows it again. */
export type Typed = {
  /** By the name of the input. */
  readonly texts: ReadonlyMap<string, string>;
};

export type Reading = {
  readonly typed: Typed;
  /** By the name of the input, in the order of the form. */
  readonly problems: ReadonlyMap<string, AnswerProblem>;
  /** Undefined if there is a problem. */
  readonly answers: Answers | undefined;
};

/** Longer texts than any field takes are cut before they are shown again. */
const ECHO_LENGTH_MAX = 2_000;

export const consentName = (id: string): string => `consent.${id}`;

/** Reads a form. What the form does not ask for is not even looked at. */
export function readAnswers(
  sent: URLSearchParams,
  fields: readonly Field[],
  consents: readonly ConsentSettings[],
): Reading {
  const texts = new Map<string, string>();
  const problems = new Map<string, AnswerProblem>();
  const data: [string, unknown][] = [];
  const personal: Partial<Record<Personal, string>> = {};
  for (const field of fields) {
    const text = clean(sent.get(field.name) ?? "");
    texts.set(field.name, text.slice(0, ECHO_LENGTH_MAX));
    const read = readOne(field, text);
    if (!read.ok) problems.set(field.name, read.problem);
    else if (read.value !== undefined) {
      data.push([field.member, read.value]);
      if (field.personal !== undefined) personal[field.personal] = String(read.value);
    }
  }
  const granted = consents.map(({ id, required }) => {
    const name = consentName(id);
    const isGranted = sent.has(name);
    if (isGranted) texts.set(name, "yes");
    else if (required === true) problems.set(name, "consent");
    return [id, isGranted] as const;
  });
  const answers = {
    data: Object.fromEntries(data),
    personal,
    consents: Object.fromEntries(granted),
  };
  return { typed: { texts }, problems, answers: problems.size === 0 ? answers : undefined };
}

/** One line of text, as PostgreSQL can store it. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .normalize("NFC")
    .trim();
}

type ReadOne =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: AnswerProblem };

const fails = (problem: AnswerProblem): ReadOne => ({ ok: false, problem });

function readOne(field: Field, text: string): ReadOne {
  const { kind, isRequired, lengthMax, schema } = field;
  if (kind === "yes-no") {
    return isRequired && text === "" ? fails("required") : { ok: true, value: text !== "" };
  }
  if (text === "") return isRequired ? fails("required") : { ok: true, value: undefined };
  if (text.length > lengthMax) return fails("too-long");
  if (kind === "number" && hasTooManyDigits(text)) return fails("digits");
  const value = answerOf(field, text);
  if (value === undefined) return fails(kind === "text" ? "other" : kind);
  const isFitting = fieldErrors(schema as Type.TSchema, value) === undefined;
  return isFitting ? { ok: true, value } : fails(misfit(field, text));
}

function misfit({ kind, schema }: Field, text: string): AnswerProblem {
  if (text.length < (schema.minLength ?? 0)) return "too-short";
  const isNumber = kind === "integer" || kind === "number";
  const hasRange = schema.minimum !== undefined && schema.maximum !== undefined;
  return isNumber && hasRange ? "range" : "other";
}

const NUMBER = /^[+-]?\d{1,15}([.,]\d{1,6})?$/;
const plainNumber = (text: string): string => text.replace(",", ".").replace(/^\+/, "");

/** It would be kept with other digits than somebody typed in. */
function hasTooManyDigits(text: string): boolean {
  return NUMBER.test(text) && inexactness(plainNumber(text)) !== undefined;
}

/** Undefined if the text is not what the field asks for. */
function answerOf({ kind, schema }: Field, text: string): unknown {
  switch (kind) {
    case "email":
      return fits(EMAIL, text) ? text : undefined;
    case "url":
      return fits(ADDRESS, text) && /^https?:/i.test(text) ? text : undefined;
    case "date":
      return fits(DATE, text) ? text : undefined;
    case "phone":
      return internationalNumber(text);
    case "integer":
      return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case "number":
      return NUMBER.test(text) ? Number(plainNumber(text)) : undefined;
    case "choice":
      return schema.enum?.find((choice) => String(choice) === text);
    default:
      return text;
  }
}

const EMAIL = Type.String({ format: "email" });
const ADDRESS = Type.String({ format: "uri" });
const DATE = Type.String({ format: "date" });

function fits(schema: Type.TSchema, text: string): boolean {
  return fieldErrors(schema, text) === undefined;
}

/** Customers have numbers with a country code, digits only. */
function internationalNumber(written: string): string | undefined {
  if (!/^[+0-9(][-+0-9 ().\u00a0\u2010-\u2015/]{2,39}$/.test(written)) return undefined;
  const number = written.replaceAll(/[^+0-9]/g, "").replace(/^00/, "+");
  return /^\+[1-9][0-9]{6,14}$/.test(number) ? number : undefined;
}
