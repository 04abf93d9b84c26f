import type { TSchema } from "typebox";
import { isObject } from "../../json.ts";

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };
export type JsonObject = { [name: string]: unknown };

const SCHEMA_KEYWORDS = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const SCHEMA_LIST_KEYWORDS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMA_MAP_KEYWORDS = new Set([
  "$defs",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Keywords of our own, for authors of files; they are not part of JSON Schema. */
const OWN_KEYWORDS = new Set(["hint"]);

/** A TypeBox schema is a JSON Schema, but its TypeScript type does not say so. */
export function asJsonSchema(schema: TSchema): JsonSchema {
  return schema as JsonSchema;
}

/**
 * Returns the schema with each direct subschema replaced. Examples and constants are data and stay.
 */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (inner: JsonSchema) => JsonSchema,
): JsonObject {
  const replaceOne = (value: unknown) => (isObject(value) ? replace(value) : value);
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (OWN_KEYWORDS.has(keyword)) continue;
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
      result[keyword] = mapValues(value, replaceOne);
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
      result[keyword] = value.map(replaceOne);
    } else {
      result[keyword] = SCHEMA_KEYWORDS.has(keyword) ? replaceOne(value) : value;
    }
  }
  return result;
}

export function mapValues(
  source: JsonObject,
  replace: (value: unknown, name: string) => unknown,
): JsonObject {
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => [name, replace(value, name)]),
  );
}

/** Rewrites two keywords that TypeBox still writes as in older drafts of JSON Schema. */
export function modernize(schema: JsonSchema): JsonObject {
  const { additionalItems, ...rest } = schema;
  if (Array.isArray(rest.items)) {
    return { ...rest, prefixItems: rest.items, items: additionalItems ?? true };
  }
  const patterns = rest.patternProperties;
  if (isObject(patterns) && Object.keys(patterns).join() === "^.*$") {
    const { patternProperties, ...others } = rest;
    return { ...others, additionalProperties: patterns["^.*$"] };
  }
  return rest;
}

/** `api-key.create` becomes `ApiKeyCreate`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
