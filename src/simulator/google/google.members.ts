import resources from "../../../vendor/google-wallet/resources.json" with { type: "json" };
import { type FieldViolation, GoogleError } from "./google.errors.ts";

/* What requests may hold, by the facts of Google's discovery document. */

type Json = Readonly<Record<string, unknown>>;
type TypeFacts = {
  readonly members: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
};
type Enumeration = { readonly values: readonly string[]; readonly aliases?: readonly string[] };

const TYPES: Readonly<Record<string, TypeFacts>> = resources.types;
const ENUMERATIONS: Readonly<Record<string, Enumeration>> = resources.enumerations;
const VIOLATIONS_MAX = 20;

/** Refuses names that the type does not have and values that do not fit, as Google does. */
export function requireKnown(type: string, sent: Json, path = ""): void {
  const found = inMessage(type, sent, path).slice(0, VIOLATIONS_MAX);
  if (found.length === 0) return;
  const message = found.map(({ description }) => description).join("\n");
  throw new GoogleError(400, "invalid", message, found);
}

/** The path of a member without which Google does not store; undefined if there are all of them. */
export function missingMember(type: string, value: Json, path = ""): string | undefined {
  const { members = {}, required = [] } = TYPES[type] ?? {};
  const missing = required.find((name) => isMissing(value[name]));
  if (missing !== undefined) return `${path}${missing}`;
  for (const [name, inner] of Object.entries(value)) {
    const of = members[name]?.replace("[]", "");
    if (of === undefined || !(of in TYPES)) continue;
    for (const each of Array.isArray(inner) ? inner : [inner]) {
      const within = isObject(each) ? missingMember(of, each, `${path}${name}.`) : undefined;
      if (within !== undefined) return within;
    }
  }
  return undefined;
}

export function hasMember(type: string, name: string): boolean {
  return Object.hasOwn(TYPES[type]?.members ?? {}, name);
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === "";

function inMessage(type: string, value: Json, path: string): FieldViolation[] {
  const { members = {} } = TYPES[type] ?? {};
  return Object.entries(value).flatMap(([name, inner]) => {
    const of = Object.hasOwn(members, name) ? members[name] : undefined;
    if (of === undefined) return [unknownName(name, path, "Cannot find field.")];
    // Null stands for a member that is not there.
    if (inner === null) return [];
    const at = path === "" ? snakeCase(name) : `${path}.${snakeCase(name)}`;
    if (!of.endsWith("[]")) {
      return Array.isArray(inner)
        ? [unknownName(name, path, "Proto field is not repeating, cannot start list.")]
        : inValue(of, inner, at);
    }
    const each = of.slice(0, -"[]".length);
    if (!Array.isArray(inner)) return [invalidValue(each, inner, at)];
    return inner.flatMap((item, index) => inValue(each, item, `${at}[${index}]`));
  });
}

function inValue(type: string, value: unknown, path: string): FieldViolation[] {
  if (type in TYPES) {
    return isObject(value) ? inMessage(type, value, path) : [invalidValue(type, value, path)];
  }
  return fits(type, value) ? [] : [invalidValue(type, value, path)];
}

const INT32_MAX = 2 ** 31;

function fits(type: string, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return [true, false, "true", "false"].includes(value as boolean);
    case "double":
      return isNumber(value, /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i);
    case "int32":
      return isNumber(value, /^-?\d+$/) && Math.abs(Number(value)) < INT32_MAX;
    case "int64":
      return (
        isNumber(value, /^-?\d+$/) &&
        BigInt.asIntN(64, BigInt(String(value))) === BigInt(String(value))
      );
    default: {
      const { values = [], aliases = [] } = ENUMERATIONS[type] ?? {};
      return typeof value === "number" || [...values, ...aliases].includes(String(value));
    }
  }
}

/** JSON may hold a number as a text too. */
function isNumber(value: unknown, form: RegExp): boolean {
  return ["number", "string"].includes(typeof value) && form.test(String(value));
}

function unknownName(name: string, path: string, reason: string): FieldViolation {
  const at = path === "" ? "" : ` at '${path}'`;
  const description = `Invalid JSON payload received. Unknown name "${name}"${at}: ${reason}`;
  return { field: path, description };
}

function invalidValue(type: string, value: unknown, path: string): FieldViolation {
  const named =
    type in TYPES || type in ENUMERATIONS
      ? `type.googleapis.com/google.walletobjects.v1.${type}`
      : `TYPE_${type === "boolean" ? "BOOL" : type.toUpperCase()}`;
  const shown =
    isObject(value) || Array.isArray(value) ? "an object or a list" : JSON.stringify(value);
  return { field: path, description: `Invalid value at '${path}' (${named}), ${shown}` };
}

/** Google names members in its answers as its own files do. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
