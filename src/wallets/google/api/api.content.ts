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

/**
 * The paths of members that were taken away and that Google's answer still shows. Google describes null
 * as a way to remove members nowhere, so it may read it as a member that was not sent. `before` are the
 * paths of the members that Google had.
 */
export function keptPaths(
  content: JsonObject,
  before: readonly string[],
  answer: JsonObject,
): string[] {
  return before.filter(
    (path) => isNothing(valueAt(content, path)) && !isNothing(valueAt(answer, path)),
  );
}

export function valueAt(content: JsonObject, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (node, name) => (isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined),
      content,
    );
}

/** The name of a kind of resource, which Google adds in many places. */
const KIND = "kind";

/** True for what Google may show for a member that has no value. */
export function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isNothing);
  if (isObject(value)) {
    return Object.entries(value).every(([name, inner]) => name === KIND || isNothing(inner));
  }
  if (typeof value === "string") return value === "" || value.endsWith("_UNSPECIFIED");
  return value === undefined || value === null || value === false || value === 0;
}

/** True if there is nothing in a value that is not in the other one, too. */
export function isWithin(value: unknown, other: unknown): boolean {
  if (isNothing(value)) return true;
  if (Array.isArray(value)) {
    return Array.isArray(other) && value.every((inner, at) => isWithin(inner, other[at]));
  }
  if (!isObject(value)) return value === other;
  return (
    isObject(other) &&
    Object.entries(value).every(([name, inner]) => name === KIND || isWithin(inner, other[name]))
  );
}
