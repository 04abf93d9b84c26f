import type { TSchema } from "typebox";
import { type FieldErrors, fieldErrors, noErrors } from "#kernel/http/validation.ts";
import { addIdentifierErrors, type Identifiers } from "#src/customers/public.ts";

/** The rules of a template for passes of its type. */
export type PassRules = {
  readonly passType: string;
  readonly required: readonly string[];
  readonly unique: readonly string[];
  /** The JSON Schema of `additionalData`; undefined allows anything. */
  readonly data: TSchema | undefined;
};

/** Those of the identifiers that no two passes of the type share. */
export function uniqueOf({ unique }: PassRules, identifiers: Identifiers): Identifiers {
  return Object.fromEntries(Object.entries(identifiers).filter(([name]) => unique.includes(name)));
}

export type PassData = Readonly<Record<string, unknown>>;

export const DATA_BYTES_MAX = 65_536;
export const DATA_KEYS_MAX = 500;
const DATA_DEPTH_MAX = 10;

/** Everything that prevents a pass with these contents from being stored, by field. */
export function passProblems(
  rules: PassRules,
  identifiers: Identifiers,
  data: PassData,
): FieldErrors | undefined {
  const errors = noErrors();
  addIdentifierErrors(errors, identifiers);
  for (const name of rules.required) {
    if (!Object.hasOwn(identifiers, name)) errors[`identifiers.${name}`] = ["is required"];
  }
  const size = sizeProblem(data);
  if (size !== undefined) errors.additionalData = [size];
  else if (rules.data !== undefined) addDataErrors(errors, rules.data, data);
  return Object.keys(errors).length === 0 ? undefined : errors;
}

/**
 * Names the members that the template takes the time from, or `expirationDate` if there are none.
 */
export function expiryProblems(members: readonly string[]): FieldErrors {
  const errors = noErrors();
  const fields = members.length === 0 ? ["expirationDate"] : members;
  for (const field of fields) errors[field] = [NO_DATE];
  return errors;
}

const NO_DATE =
  "must give a date, such as 2031-05-01 or 2031-05-01T18:00:00Z: passes of this type expire by it";

function addDataErrors(errors: FieldErrors, schema: TSchema, data: PassData): void {
  for (const [path, messages] of Object.entries(fieldErrors(schema, data) ?? {})) {
    errors[path === "$" ? "additionalData" : `additionalData.${path}`] = messages;
  }
}

function sizeProblem(data: PassData): string | undefined {
  if (depthOf(data) > DATA_DEPTH_MAX) return `must not nest deeper than ${DATA_DEPTH_MAX}`;
  if (Object.keys(data).length > DATA_KEYS_MAX) {
    return `must not have more than ${DATA_KEYS_MAX} members`;
  }
  if (Buffer.byteLength(JSON.stringify(data)) > DATA_BYTES_MAX) {
    return `must not be larger than ${DATA_BYTES_MAX} bytes`;
  }
  return undefined;
}

/** Stops at the maximum depth, because the result is then known to be too deep. */
function depthOf(value: unknown, above = 0): number {
  if (typeof value !== "object" || value === null || above > DATA_DEPTH_MAX) return above;
  return Object.values(value).reduce(
    (deepest: number, member) => Math.max(deepest, depthOf(member, above + 1)),
    above + 1,
  );
}
