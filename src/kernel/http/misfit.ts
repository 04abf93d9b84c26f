import type { TSchema } from "typebox";
import Value from "typebox/value";
import { validatorFor } from "./validator.ts";

/** One field that does not fit, and the reason, in words for the sender. */
export type Misfit = { readonly field: string; readonly reason: string };

/**
 * A JSON Schema as data. `mustBe` completes the sentence "must be …" where the pattern itself would
 * not help people.
 */
type Schema = { readonly [keyword: string]: unknown };

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "a date and time with its offset from UTC, such as 2026-01-31T09:30:00Z",
  date: "a date, such as 2026-01-31",
  time: "a time with its offset from UTC, such as 09:30:00Z",
  email: "an email address",
  uri: "an address such as https://example.com/path",
  uuid: "a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057",
};

type Words = (bound: unknown, schema: Schema) => string;

/** In the order of checking: if a value has several faults, only the first one is reported. */
const WORDS: Readonly<Record<string, Words>> = {
  enum: (values) => `must be ${oneOf(values as unknown[])}`,
  const: (value) => `must be ${JSON.stringify(value)}`,
  minLength: (least) => atLeast(least, "characters"),
  maxLength: (most) => `must not have more than ${most} characters`,
  pattern: (_pattern, { mustBe }) => `must be ${mustBe ?? "written in another form"}`,
  format: (name) => `must be ${FORMATS[String(name)] ?? "written in another form"}`,
  minimum: (least) => `must be at least ${least}`,
  maximum: (most) => `must be at most ${most}`,
  exclusiveMinimum: (bound) => `must be greater than ${bound}`,
  exclusiveMaximum: (bound) => `must be less than ${bound}`,
  multipleOf: (step) => `must be a multiple of ${step}`,
  minItems: (least) => atLeast(least, "entries"),
  maxItems: (most) => `must not have more than ${most} entries`,
  uniqueItems: () => "must not have the same entry twice",
  minProperties: (least) => atLeast(least, "members"),
  maxProperties: (most) => `must not have more than ${most} members`,
};

/**
 * Yields every field that does not fit, with one reason each. The content of a value is not checked
 * if the value has the wrong type or too many entries, so the work has a limit.
 */
export function* misfits(source: TSchema, value: unknown, field = ""): Generator<Misfit> {
  const schema = source as Schema;
  if (Array.isArray(schema.anyOf)) {
    yield* misfitsOfUnion(schema.anyOf, value, field);
    return;
  }
  const reason = reasonAgainst(schema, value);
  if (reason !== undefined) {
    yield { field, reason };
  } else if (Array.isArray(value)) {
    yield* misfitsOfItems(schema, value, field);
  } else if (typeof value === "object" && value !== null) {
    yield* misfitsOfMembers(schema, value as Record<string, unknown>, field);
  }
  for (const part of asList(schema.allOf)) yield* misfits(part as TSchema, value, field);
}

/** The first fault of the value itself, without its content. */
function reasonAgainst(schema: Schema, value: unknown): string | undefined {
  const { type } = schema;
  if (type !== undefined && !isFine({ type }, value)) return `must be ${kindsOf(schema)}`;
  for (const [keyword, words] of Object.entries(WORDS)) {
    const bound = schema[keyword];
    if (bound !== undefined && !isFine({ [keyword]: bound }, value)) return words(bound, schema);
  }
  const refinements = asList(schema["~refine"]) as readonly Refinement[];
  return refinements.find(({ check }) => !check(value))?.error(value);
}

type Refinement = { check(value: unknown): boolean; error(value: unknown): string };

function* misfitsOfItems(
  { items }: Schema,
  values: readonly unknown[],
  field: string,
): Generator<Misfit> {
  if (items === undefined) return;
  // Uses a compiled validator first, because there may be many items and nearly all are correct.
  const validator = validatorFor(items as TSchema);
  for (const [at, value] of values.entries()) {
    if (!validator.Check(value)) yield* misfits(items as TSchema, value, `${field}[${at}]`);
  }
}

function* misfitsOfMembers(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  field: string,
): Generator<Misfit> {
  const properties = asMap(schema.properties);
  for (const name of asList(schema.required) as readonly string[]) {
    if (!Object.hasOwn(value, name)) yield { field: join(field, name), reason: "is required" };
  }
  const schemaOfOther = otherSchemas(schema);
  for (const [name, member] of Object.entries(value)) {
    const isKnown = Object.hasOwn(properties, name);
    const inner = isKnown ? properties[name] : schemaOfOther(name);
    if (inner === false) yield { field: join(field, name), reason: "is not a known property" };
    else if (inner === undefined || inner === true) continue;
    else if (isKnown || !validatorFor(inner).Check(member)) {
      yield* misfits(inner, member, join(field, name));
    }
  }
}

/**
 * Finds the schema of a member that is not listed by name. A record may have very many members, so
 * the patterns are compiled only once.
 */
function otherSchemas(schema: Schema): (name: string) => TSchema | boolean | undefined {
  const patterns = Object.entries(asMap(schema.patternProperties)).map(
    ([pattern, inner]) => [new RegExp(pattern, "u"), inner] as const,
  );
  const otherwise = schema.additionalProperties as TSchema | boolean | undefined;
  return (name) => patterns.find(([pattern]) => pattern.test(name))?.[1] ?? otherwise;
}

/** The sender meant one of the alternatives: the faults of the nearest alternative are reported. */
function* misfitsOfUnion(
  members: readonly unknown[],
  value: unknown,
  field: string,
): Generator<Misfit> {
  const tried = members.map((member) => ({
    member: member as Schema,
    found: [...misfits(member as TSchema, value, field)],
  }));
  if (tried.some(({ found }) => found.length === 0)) return;
  const ofItsKind = tried.filter(({ member }) => isOfItsKind(member, value));
  const [nearest] = ofItsKind.toSorted((left, right) => left.found.length - right.found.length);
  if (nearest !== undefined) {
    yield* nearest.found;
    return;
  }
  const kinds = [...new Set(tried.map(({ member }) => kindsOf(member)))];
  yield { field, reason: `must be ${alternatives(kinds)}` };
}

/** False for enumerations and constants, so that the report lists the allowed values. */
function isOfItsKind({ type, enum: values, const: only }: Schema, value: unknown): boolean {
  if (values !== undefined || only !== undefined) return false;
  return type === undefined || isFine({ type }, value);
}

function kindsOf({ type, enum: values, const: only }: Schema): string {
  if (values !== undefined) return oneOf(asList(values));
  if (only !== undefined) return JSON.stringify(only);
  return alternatives([type].flat().map((kind) => KINDS[String(kind)] ?? "something else"));
}

function oneOf(values: readonly unknown[]): string {
  const all = values.map((value) => JSON.stringify(value));
  return all.length === 1 ? `${all[0]}` : `one of ${all.join(", ")}`;
}

function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? "something else";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

function atLeast(least: unknown, things: string): string {
  return least === 1 ? "must not be empty" : `must have at least ${least} ${things}`;
}

function isFine(schema: Schema, value: unknown): boolean {
  return Value.Check(schema as TSchema, value);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asMap(value: unknown): Readonly<Record<string, TSchema>> {
  return typeof value === "object" && value !== null ? (value as Record<string, TSchema>) : {};
}

function join(field: string, name: string): string {
  const shown = name === "" ? '""' : name;
  return field === "" ? shown : `${field}.${shown}`;
}
