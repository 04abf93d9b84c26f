import type { TSchema } from "typebox";
import type { TLocalizedValidationError } from "typebox/error";
import { Settings } from "typebox/system";
import { fieldPath } from "#kernel/http/validation.ts";
import { validatorFor } from "#kernel/http/validator.ts";
import { type Finding, type Place, sortFindings } from "../finding.ts";
import {
  schemaInvalid,
  schemaMissingProperty,
  schemaNotAllowed,
  schemaOutOfRange,
  schemaPattern,
  schemaUnknownProperty,
  schemaWrongType,
} from "./findings.ts";
import { closest } from "./spelling.ts";
import { settleUnions } from "./unions.ts";
import type { YamlFile } from "./yaml-file.ts";

const FINDINGS_MAX = 50;
/** High, because a union reports errors for each of its members. Most of them are dropped later. */
const ERRORS_MAX = 500;

/** Finds everything that does not fit the schema, with line and column. Empty if the file fits. */
export function checkYaml(path: string, file: YamlFile, schema: TSchema): Finding[] {
  if (validatorFor(schema).Check(file.value)) return [];
  const errors = settleUnions(errorsOf(schema, file.value));
  const findings = errors.flatMap((error) => explain({ path, file, schema, error }));
  return sortFindings(findings).slice(0, FINDINGS_MAX);
}

/** TypeBox limits the number of errors by a global setting, so the setting is restored at once. */
function errorsOf(schema: TSchema, value: unknown): TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: ERRORS_MAX });
  try {
    return [...validatorFor(schema).Errors(value)];
  } finally {
    Settings.Set({ maxErrors });
  }
}

type Mistake = {
  readonly path: string;
  readonly file: YamlFile;
  readonly schema: TSchema;
  readonly error: TLocalizedValidationError;
};

function explain(mistake: Mistake): Finding[] {
  const { file, error } = mistake;
  const { instancePath } = error;
  const field = fieldOf(instancePath);
  const at: Place = { file: mistake.path, ...file.at(instancePath) };
  switch (error.keyword) {
    // The same unknown property is also reported by its name.
    case "boolean":
      return [];
    case "required":
      return missing(mistake, error.params.requiredProperties);
    case "additionalProperties":
      return unknown(mistake, error.params.additionalProperties);
    case "unevaluatedProperties":
      return unknown(mistake, error.params.unevaluatedProperties.map(String));
    case "type":
      return [wrongType(mistake, [error.params.type].flat())];
    case "const":
      return [notAllowed(mistake, [error.params.allowedValue])];
    case "enum":
      return [notAllowed(mistake, error.params.allowedValues)];
    case "pattern":
    case "format":
      return [schemaPattern(at, { field, expected: described(mistake) })];
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
    case "multipleOf":
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
    case "minProperties":
    case "maxProperties":
      return [schemaOutOfRange(at, { field, problem: error.message })];
    case "anyOf":
      return [schemaInvalid(at, { field, problem: "does not match any form allowed" })];
    default:
      return [schemaInvalid(at, { field, problem: error.message })];
  }
}

function missing({ path, file, error }: Mistake, names: readonly string[]): Finding[] {
  const parent = parentOf(error.instancePath);
  const place = { file: path, ...file.keyAt(error.instancePath) };
  return names.map((name) => schemaMissingProperty(place, { name, parent }));
}

function unknown(mistake: Mistake, names: readonly string[]): Finding[] {
  const { path, file, schema, error } = mistake;
  const properties = ownValue(schemaAt(schema, error.schemaPath), "properties");
  const known =
    typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const parent = parentOf(error.instancePath);
  return names.map((name) => {
    const place = { file: path, ...file.keyAt(`${error.instancePath}/${escapePart(name)}`) };
    return schemaUnknownProperty(place, { name, parent, meant: closest(name, known), known });
  });
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "a group of properties",
  array: "a list",
  null: "empty",
};

function wrongType({ path, file, error }: Mistake, expected: readonly string[]): Finding {
  const value = valueAt(file.value, error.instancePath);
  const actual = typeOf(value);
  const names = expected.map((type) => TYPE_NAMES[type] ?? type);
  return schemaWrongType(
    { file: path, ...file.at(error.instancePath) },
    {
      field: fieldOf(error.instancePath),
      expected: names.join(" or "),
      actual: TYPE_NAMES[actual] ?? actual,
      advice: adviceFor(expected, actual),
    },
  );
}

function adviceFor(expected: readonly string[], actual: string): string | undefined {
  if (actual === "null") return "Give it a value, or remove it.";
  if (expected.includes("string") && (actual === "number" || actual === "boolean")) {
    return "Put the value in quotes.";
  }
  if (actual === "string" && expected.some((type) => /^(number|integer|boolean)$/.test(type))) {
    return "Remove the quotes, if there are any.";
  }
  return expected.includes("array") ? "Start each item with '- ' on a line of its own." : undefined;
}

function notAllowed({ path, file, error }: Mistake, values: readonly unknown[]): Finding {
  const value = valueAt(file.value, error.instancePath);
  const texts = values.filter((each) => typeof each === "string");
  return schemaNotAllowed(
    { file: path, ...file.at(error.instancePath) },
    {
      field: fieldOf(error.instancePath),
      allowed: values.map((each) =>
        typeof each === "string" ? `'${each}'` : JSON.stringify(each),
      ),
      meant: typeof value === "string" ? closest(value, texts) : undefined,
    },
  );
}

/** A schema with a pattern explains the expected form in its hint. */
function described({ schema, error }: Mistake): string | undefined {
  const hint = ownValue(schemaAt(schema, error.schemaPath), "hint");
  return typeof hint === "string" ? hint : undefined;
}

/** Starts a sentence, so the whole file is called "The file". */
function fieldOf(pointer: string): string {
  return pointer === "" ? "The file" : `'${fieldPath(pointer)}'`;
}

function parentOf(pointer: string): string {
  return pointer === "" ? "the file" : fieldOf(pointer);
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function schemaAt(schema: TSchema, schemaPath: string): unknown {
  return valueAt(schema, schemaPath.replace(/^#/, ""));
}

function valueAt(root: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce((value, part) => ownValue(value, unescapePart(part)), root);
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function escapePart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescapePart(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
