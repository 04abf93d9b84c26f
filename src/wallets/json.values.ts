import type { JsonObject } from "#src/templates/language/public.ts";

/**
 * Removes members without a value, so that wallets get only members that have one. This is a loop,
 * because `Object.entries` and `Object.fromEntries` took a quarter of the time of rendering a pass.
 */
export function defined(members: JsonObject): JsonObject {
  const some: JsonObject = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== undefined) some[name] = value;
  }
  return some;
}

/** As `defined`, but returns undefined if no member has a value. */
export function definedOrNothing(members: JsonObject): JsonObject | undefined {
  const some = defined(members);
  return Object.keys(some).length === 0 ? undefined : some;
}

export function orUndefined(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
