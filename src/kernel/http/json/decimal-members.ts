import type { TSchema } from "typebox";
import { DECIMAL_KEYWORD } from "../../decimal.ts";

type Schema = { readonly [keyword: string]: unknown };

const known = new WeakMap<TSchema, ReadonlySet<string> | undefined>();

/**
 * The members of a body that are exact decimals, such as `value` or `scans[].redeem.amount`;
 * undefined if there are none.
 */
export function decimalMembersOf(schema: TSchema): ReadonlySet<string> | undefined {
  if (!known.has(schema)) {
    const members = new Set(membersIn(schema as Schema, ""));
    known.set(schema, members.size === 0 ? undefined : members);
  }
  return known.get(schema);
}

function* membersIn(schema: Schema, path: string): Generator<string> {
  if (schema[DECIMAL_KEYWORD] === true) yield path;
  for (const keyword of ["anyOf", "allOf", "oneOf"]) {
    for (const inner of asList(schema[keyword])) yield* membersIn(inner, path);
  }
  const { properties, items } = schema;
  for (const [name, inner] of Object.entries((properties ?? {}) as Record<string, Schema>)) {
    yield* membersIn(inner, path === "" ? name : `${path}.${name}`);
  }
  if (typeof items === "object" && items !== null) yield* membersIn(items as Schema, `${path}[]`);
}

function asList(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? (value as Schema[]) : [];
}

/** A number that stays text, and the members that lead to it. */
export type KeptNumber = {
  readonly place: readonly (string | number)[];
  readonly digits: string;
};

/** Replaces a number in a value that was just read by its digits. */
export function putNumber(value: unknown, { place, digits }: KeptNumber): void {
  let parent = value as Record<string | number, unknown>;
  for (const step of place.slice(0, -1)) parent = parent[step] as typeof parent;
  const last = place.at(-1);
  if (last !== undefined) parent[last] = digits;
}
