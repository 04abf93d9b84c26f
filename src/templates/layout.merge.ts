import { isObject } from "#kernel/json.ts";
export type JsonObject = { [name: string]: unknown };

/**
 * Lays one document over another: objects are merged, lists and single values replaced, `null` takes
 * away. Neither of the two is changed.
 */
export function deepMerge(base: JsonObject, layer: Readonly<JsonObject>): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [name, value] of Object.entries(layer)) {
    // An assignment to this name would not add a member but change what the object is.
    if (name === "__proto__") continue;
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? mergeMember(merged[name], value) : value;
  }
  return merged;
}

/** An object over nothing still drops its own nulls, so that none of them reaches a wallet. */
function mergeMember(base: unknown, layer: JsonObject): JsonObject {
  return deepMerge(isObject(base) ? base : {}, layer);
}
