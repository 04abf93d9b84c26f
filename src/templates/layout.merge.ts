import { isObject } from "#kernel/json.ts";
export type JsonObject = { [name: string]: unknown };

/**
 * Merges a document over another one: objects are merged, lists and single values are replaced, and
 * `null` removes a member, also of an object in a list. Neither document is changed.
 */
export function deepMerge(base: JsonObject, layer: Readonly<JsonObject>): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [name, value] of Object.entries(layer)) {
    // An assignment to `__proto__` would change the prototype of the object instead of adding a
    // member.
    if (name === "__proto__") continue;
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? mergeMember(merged[name], value) : withoutNulls(value);
  }
  return merged;
}

/**
 * An object without a counterpart in the base is merged too, so that its `null` members are removed
 * and do not reach a wallet.
 */
function mergeMember(base: unknown, layer: JsonObject): JsonObject {
  return deepMerge(isObject(base) ? base : {}, layer);
}

/** The objects in a list lose members as well. Its own elements stay, also `null`: their places count. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? deepMerge({}, value) : value;
}
