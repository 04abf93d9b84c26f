import type { TSchema } from "typebox";
import { misfits } from "./misfit.ts";
import { validatorFor } from "./validator.ts";

export type FieldErrors = Record<string, string[]>;

export const FIELDS_REPORTED_MAX = 50;
const ECHO_CHARS_MAX = 64;
const FIELD_CHARS_MAX = 250;

/** Undefined when the value fits; otherwise the fields that do not, each with one reason. */
export function fieldErrors(schema: TSchema, value: unknown): FieldErrors | undefined {
  if (validatorFor(schema).Check(value)) return undefined;
  const errors = noErrors();
  let count = 0;
  for (const { field, reason } of misfits(schema, value)) {
    errors[cut(field || ROOT, FIELD_CHARS_MAX)] ??= [reason];
    count += 1;
    if (count === FIELDS_REPORTED_MAX) break;
  }
  // A value that is refused must not pass because nobody found the words.
  if (count === 0) errors[ROOT] = ["is not as it must be"];
  return errors;
}

/** Stands for the whole body, or the whole query. */
const ROOT = "$";

/** Without a prototype: a field may be called `constructor`, and must not find that one. */
export function noErrors(): FieldErrors {
  return Object.create(null);
}

/** A name as it may be said back to whoever sent it. */
export function shortName(name: string): string {
  return name === "" ? '""' : cut(name, ECHO_CHARS_MAX);
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}

/** `/events/0` becomes `events[0]`, `/identifiers/crm.id` becomes `identifiers.crm.id`. */
export function fieldPath(pointer: string): string {
  let path = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(name)) path = `${path}[${name}]`;
    else path = path === "" ? name : `${path}.${name}`;
  }
  return path;
}
