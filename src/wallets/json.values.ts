import type { JsonObject } from "#src/templates/language/public.ts";

/**
 * Without the members that have no value: wallets do not like them. A loop, because entries made and
 * joined again were a quarter of the time of rendering a pass.
 */
export function defined(members: JsonObject): JsonObject {
  const some: JsonObject = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== undefined) some[name] = value;
  }
  return some;
}

/** The same, and nothing at all where no member has a value. */
export function definedOrNothing(members: JsonObject): JsonObject | undefined {
  const some = defined(members);
  return Object.keys(some).length === 0 ? undefined : some;
}

export function orUndefined(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
