import { isObject } from "#kernel/json.ts";
export type JsonObject = { [name: string]: unknown };

/**
 * Merges a document over another one: objects are merged, lists and single values are replaced, and
 * `null` removes a member. Neither document is changed.
 */
export function deepMerge(base: JsonObject, layer: Readonly<JsonObject>): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [name, value] of Object.entries(layer)) {
    // An assignment to `__proto__` would change the prototype of the object instead of adding a
    // member.
    if (name === "__proto__") continue;
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? mergeMember(merged[name], value) : value;
  }
  return merged;
}

/**
 * An object without a counterpart in the base is merged too, so that its `null` members are removed
 * and do not reach a wallet. Lists are taken as they are, with any `null` in them.
 */
function mergeMember(base: unknown, layer: JsonObject): JsonObject {
  return deepMerge(isObject(base) ? base : {}, layer);
}
