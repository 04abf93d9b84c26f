import { createHash } from "node:crypto";
import { isObject } from "#kernel/json.ts";
import type { JsonObject } from "#src/templates/language/public.ts";

export function contentHash(content: JsonObject): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64url");
}

/**
 * The names of all members, those inside objects as paths with dots. Lists are whole for Google, so
 * what is in them has no path.
 */
export function pathsOf(content: JsonObject, prefix = ""): string[] {
  return Object.entries(content).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return isObject(value) ? [path, ...pathsOf(value, `${path}.`)] : [path];
  });
}

/**
 * What turns the content that Google has into the new one. Google merges what it is sent, inside
 * objects too, so members that are no longer there are sent as null. `before` are the paths of the
 * members that Google has.
 */
export function changeOf(content: JsonObject, before: readonly string[]): JsonObject {
  const change = structuredClone(content);
  for (const path of before) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    const parent = names.reduce<unknown>(
      (node, name) => (isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined),
      change,
    );
    // Without its parent, which is sent as null or as something else, it is gone anyway.
    if (isObject(parent) && !Object.hasOwn(parent, last)) parent[last] = null;
  }
  return change;
}
