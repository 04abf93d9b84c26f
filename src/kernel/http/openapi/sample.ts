import { isObject } from "../../json.ts";
import { type JsonObject, type JsonSchema, mapValues, modernize } from "./json-schema.ts";

const DEPTH_MAX = 8;
/** The name used for a member of a map that allows any name. */
const NAME = "name";

const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T09:30:00.000Z",
  date: "2026-01-31",
  time: "09:30:00Z",
  duration: "P1Y",
  email: "ana@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/path",
  url: "https://example.com/path",
  "uri-reference": "/path",
  uuid: "01890a5d-ac96-774b-bcce-b302099a8057",
  byte: "QmlsbGZvbGQ=",
  regex: "^[a-z]+$",
  "json-pointer": "/name",
};

/**
 * Makes a value that fits the schema, for documentation: its example if it has one, else invented.
 */
export function sampleOf(schema: JsonSchema): unknown {
  return sample(schema, { defs: {}, depth: 0 });
}

type Around = { readonly defs: JsonObject; readonly depth: number };

function sample(source: JsonSchema, around: Around): unknown {
  const schema = modernize(source);
  const suggested = suggestionOf(schema);
  if (suggested !== undefined) return suggested;
  const defs = isObject(schema.$defs) ? { ...around.defs, ...schema.$defs } : around.defs;
  const inner = { defs, depth: around.depth + 1 };
  if (typeof schema.$ref === "string") return sampleInner(defs[schema.$ref], inner);
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants))
    return sampleInner(variants.find(isMeaningful) ?? variants[0], inner);
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part) => sampleInner(part, inner)));
  }
  return sampleByType(schema, inner);
}

function suggestionOf({ examples, default: fallback, const: only, enum: values }: JsonSchema) {
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (fallback !== undefined) return fallback;
  if (only !== undefined) return only;
  return Array.isArray(values) ? values[0] : undefined;
}

/** `null` is allowed in many schemas, but as a sample it explains nothing. */
function isMeaningful(variant: unknown): boolean {
  return isObject(variant) && variant.type !== "null";
}

function sampleInner(schema: unknown, around: Around): unknown {
  return isObject(schema) ? sample(schema, around) : {};
}

function sampleByType(schema: JsonSchema, inner: Around): unknown {
  const type = Array.isArray(schema.type)
    ? schema.type.find((name) => name !== "null")
    : schema.type;
  switch (type) {
    case "object":
      return sampleObject(schema, inner);
    case "array":
      return sampleArray(schema, inner);
    case "string":
      return sampleString(schema);
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return {};
  }
}

function sampleObject(schema: JsonSchema, inner: Around): unknown {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = isObject(schema.properties) ? schema.properties : {};
  // At depth, only required members are shown, because a schema may contain itself.
  const shown = Object.entries(properties).filter(
    ([name]) => inner.depth < DEPTH_MAX || required.has(name),
  );
  const named = mapValues(Object.fromEntries(shown), (value) => sampleInner(value, inner));
  return shown.length > 0 ? named : sampleMap(schema, inner);
}

function sampleMap(schema: JsonSchema, inner: Around): unknown {
  const { patternProperties, additionalProperties, propertyNames } = schema;
  if (isObject(patternProperties)) {
    const [pattern = "", value] = Object.entries(patternProperties)[0] ?? [];
    if (!new RegExp(pattern, "u").test(NAME)) throw exampleMissing(pattern);
    return { [NAME]: sampleInner(value, inner) };
  }
  if (!isObject(additionalProperties)) return {};
  const name = isObject(propertyNames) ? String(sample(propertyNames, inner)) : NAME;
  return { [name]: sampleInner(additionalProperties, inner) };
}

function sampleArray(schema: JsonSchema, inner: Around): unknown {
  const { prefixItems, items, minItems, uniqueItems } = schema;
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => sampleInner(item, inner));
  if (inner.depth >= DEPTH_MAX) return [];
  const count = Math.max(typeof minItems === "number" ? minItems : 1, 1);
  const choices = isObject(items) && Array.isArray(items.enum) ? items.enum : undefined;
  if (uniqueItems === true && choices !== undefined) return choices.slice(0, count);
  return Array.from({ length: count }, () => sampleInner(items, inner));
}

function sampleString(schema: JsonSchema): string {
  const { format, pattern } = schema;
  const minLength = typeof schema.minLength === "number" ? schema.minLength : 0;
  const maxLength = typeof schema.maxLength === "number" ? schema.maxLength : Infinity;
  if (typeof pattern === "string") throw exampleMissing(pattern);
  const text = (typeof format === "string" ? BY_FORMAT[format] : undefined) ?? "text";
  return text.padEnd(minLength, "text").slice(0, Math.max(maxLength, 0));
}

/** An invented text would fit the pattern but would not explain its meaning to a reader. */
function exampleMissing(pattern: string): TypeError {
  return new TypeError(`A schema with the pattern /${pattern}/ needs an example.`);
}

function sampleNumber(schema: JsonSchema): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === "number" ? multipleOf : 1;
  let value = step;
  if (typeof minimum === "number") value = Math.max(value, Math.ceil(minimum / step) * step);
  if (typeof exclusiveMinimum === "number") value = Math.max(value, exclusiveMinimum + step);
  if (typeof maximum === "number") value = Math.min(value, maximum);
  if (typeof exclusiveMaximum === "number") value = Math.min(value, exclusiveMaximum - step);
  return value;
}
