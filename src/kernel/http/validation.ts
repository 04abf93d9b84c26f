import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";

export type FieldErrors = Record<string, string[]>;

const validators = new WeakMap<TSchema, Validator>();
export const FIELDS_REPORTED_MAX = 50;
const ECHO_CHARS_MAX = 64;
// By default the library stops at eight.
Settings.Set({ maxErrors: FIELDS_REPORTED_MAX });

/** Compiled once per schema: about a millisecond each, then nanoseconds per check. */
export function validatorFor(schema: TSchema): Validator {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator;
}

/** Undefined when the value fits; otherwise every field that does not, with the reason. */
export function fieldErrors(schema: TSchema, value: unknown): FieldErrors | undefined {
  const validator = validatorFor(schema);
  if (validator.Check(value)) return undefined;
  const errors = noErrors();
  for (const error of validator.Errors(value)) {
    for (const { field, message } of explain(error)) {
      if (Object.keys(errors).length >= FIELDS_REPORTED_MAX) return errors;
      errors[field] ??= [];
      if (!errors[field].includes(message)) errors[field].push(message);
    }
  }
  return errors;
}

/** Without a prototype: a field may be called `constructor`, and must not find that one. */
export function noErrors(): FieldErrors {
  return Object.create(null);
}

/** A name as it may be said back to whoever sent it. */
export function shortName(name: string): string {
  if (name.length <= ECHO_CHARS_MAX) return name;
  return `${name.slice(0, ECHO_CHARS_MAX).toWellFormed()}…`;
}

function explain(error: TLocalizedValidationError): { field: string; message: string }[] {
  const path = fieldPath(error.instancePath);
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => ({
        field: join(path, name),
        message: "is required",
      }));
    case "additionalProperties":
      return error.params.additionalProperties.map((name) => ({
        field: join(path, name),
        message: "is not a known property",
      }));
    case "enum":
      return [
        { field: path || "$", message: `must be one of ${list(error.params.allowedValues)}` },
      ];
    // An unknown property, which is also reported by name.
    case "boolean":
      return [];
    // The members of a union report for themselves; this would only repeat that they did.
    case "anyOf":
      return [{ field: path || "$", message: "does not match any allowed form" }];
    default:
      return [{ field: path || "$", message: error.message }];
  }
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** `/events/0` becomes `events[0]`, `/identifiers/crm.id` becomes `identifiers.crm.id`. */
export function fieldPath(pointer: string): string {
  let path = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    path = /^\d+$/.test(name) ? `${path}[${name}]` : join(path, name);
  }
  return path;
}
