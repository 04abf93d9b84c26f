import type { TSchema } from "typebox";
import { misfits } from "./misfit.ts";
import { validatorFor } from "./validator.ts";

export type FieldErrors = Record<string, string[]>;

export const FIELDS_REPORTED_MAX = 50;
const ECHO_CHARS_MAX = 64;
const FIELD_CHARS_MAX = 250;

/** Returns undefined if the value fits, otherwise the fields that do not, each with one reason. */
export function fieldErrors(schema: TSchema, value: unknown): FieldErrors | undefined {
  if (validatorFor(schema).Check(value)) return undefined;
  const errors = noErrors();
  let count = 0;
  for (const { field, reason } of misfits(schema, value)) {
    errors[cut(field || ROOT, FIELD_CHARS_MAX)] ??= [reason];
    count += 1;
    if (count === FIELDS_REPORTED_MAX) break;
  }
  // A refused value must not pass only because `misfits` found no reason.
  if (count === 0) errors[ROOT] = ["is not as it must be"];
  return errors;
}

/** The field name for the whole body or the whole query. */
const ROOT = "$";

/** Without a prototype, because a field may be named `constructor`. */
export function noErrors(): FieldErrors {
  return Object.create(null);
}

/** A name in a form that can be shown to its sender. */
export function shortName(name: string): string {
  return name === "" ? '""' : cut(name, ECHO_CHARS_MAX);
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}

/** Turns `/events/0` into `events[0]`, and `/identifiers/crm.id` into `identifiers.crm.id`. */
export function fieldPath(pointer: string): string {
  let path = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(name)) path = `${path}[${name}]`;
    else path = path === "" ? name : `${path}.${name}`;
  }
  return path;
}
