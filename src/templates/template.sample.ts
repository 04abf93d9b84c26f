import { isObject } from "#kernel/json.ts";
import type { DataSchema } from "./schema/data.ts";
import type { CompiledTemplate } from "./template.compiled.ts";
import { initialPrivilege } from "./template.privilege.ts";
import type { RenderInput, TenantFacts } from "./template.render-input.ts";

/** Makes typical values of a pass to try a template with. Every call gives the same values. */
export function sampleInput(compiled: CompiledTemplate, tenant: TenantFacts): RenderInput {
  const { template } = compiled;
  const names = new Set([
    ...(template.identifiers?.required ?? []),
    ...(template.identifiers?.unique ?? []),
    ...referenced(compiled, "identifiers"),
  ]);
  const data = sampleData((template.data ?? { type: "object" }) as DataSchema, "data", 0);
  return {
    pass: {
      id: "sample-pass-0001",
      passType: compiled.passType,
      status: "active",
      creationDate: "2026-01-15T09:30:00.000Z",
      lastUpdateDate: "2026-02-01T12:00:00.000Z",
      expirationDate: null,
      version: 1,
    },
    identifiers: Object.fromEntries([...names].map((name) => [name, "100200300"])),
    data: isObject(data) ? data : {},
    metadata: {},
    privileges: samplePrivileges(compiled),
    tenant,
  };
}

/**
 * The sample input of a preview: data that texts read and the template does not describe has a value too. Checks
 * use `sampleInput`, because the type of such data is unknown.
 */
export function previewInput(compiled: CompiledTemplate, tenant: TenantFacts): RenderInput {
  const sample = sampleInput(compiled, tenant);
  const data: Record<string, unknown> = { ...sample.data };
  const described = new Set(Object.keys(data));
  const texts = compiled.values.flatMap(({ text, translations }) => [
    text,
    ...translations.values(),
  ]);
  for (const { source, references, problems } of texts) {
    if (problems.length > 0) continue;
    for (const { segments, index } of references) {
      const [root, ...path] = segments;
      // The length of a text or a list is no member of it.
      const names = path.at(-1) === "size" ? path.slice(0, -1) : path;
      const [first] = names;
      if (root !== "data" || first === undefined || described.has(first)) continue;
      // A star is a name that is known only when the text is rendered.
      if (names.length > DEPTH_MAX || names.includes("*")) continue;
      addValue(data, names, sampleForFilter(source, index));
    }
  }
  return { ...sample, data };
}

/** A value that another text reads members of is an object, in whichever order the two come. */
function addValue(
  data: Record<string, unknown>,
  [name = "", ...inner]: readonly string[],
  wanted: unknown,
): void {
  const known = Object.hasOwn(data, name) ? data[name] : undefined;
  if (inner.length === 0) {
    if (!isObject(known)) data[name] = wanted ?? known ?? sampleString({}, name);
    return;
  }
  const object = isObject(known) ? known : {};
  data[name] = object;
  addValue(object, inner, wanted);
}

/** From a variable to the end of its output or its tag. Quoted texts may contain the signs of an end. */
const TO_END = /(?:'[^']*'|"[^"]*"|[^'"%}]+|%(?!\})|\}(?!\}))*/y;
const QUOTED = /'[^']*'|"[^"]*"/g;

/** What the filters behind a variable can read; undefined if they take any text. */
function sampleForFilter(source: string, index: number): unknown {
  TO_END.lastIndex = index;
  const filters = TO_END.exec(source)?.[0].replace(QUOTED, "") ?? "";
  if (/\|\s*(money|number)\b/.test(filters)) return NUMBER;
  return /\|\s*date\b/.test(filters) ? BY_FORMAT.date : undefined;
}

/** The second segment of every reference with this root. A name with dots is one segment. */
function referenced({ values }: CompiledTemplate, root: string): string[] {
  return values.flatMap(({ text }) =>
    text.references.flatMap(({ segments: [first, name] }) =>
      first === root && name !== undefined && name !== "*" ? [name] : [],
    ),
  );
}

function samplePrivileges({ template }: CompiledTemplate): Record<string, unknown> {
  return Object.fromEntries(
    (template.privileges ?? []).map(initialPrivilege).map((privilege) => [
      privilege.id,
      {
        privilegeId: privilege.id,
        name: privilege.name,
        type: privilege.type,
        value: privilege.value ?? null,
        minimum: privilege.minimum ?? 0,
        maximum: privilege.maximum ?? null,
        unit: privilege.unit ?? null,
        status: "available",
      },
    ]),
  );
}

const DEPTH_MAX = 10;

/** Makes a value that fits the schema. The name and the limits of the member make it realistic. */
export function sampleData(schema: DataSchema, name: string, depth: number): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (depth > DEPTH_MAX) return null;
  switch (schema.type ?? typeImplied(schema)) {
    case "object":
      return sampleObject(schema, depth);
    case "array":
      return sampleArray(schema, name, depth);
    case "integer":
      return sampleNumber(schema, true);
    case "number":
      return sampleNumber(schema, false);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return sampleString(schema, name);
  }
}

function typeImplied(schema: DataSchema): string {
  if (schema.properties !== undefined) return "object";
  if (schema.items !== undefined) return "array";
  return schema.minimum !== undefined || schema.maximum !== undefined ? "number" : "string";
}

function sampleObject({ properties = {} }: DataSchema, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, sampleData(schema, name, depth + 1)]),
  );
}

const ITEMS = 2;
const ITEMS_MAX = 20;

function sampleArray(schema: DataSchema, name: string, depth: number): unknown[] {
  const wanted = Math.max(schema.minItems ?? 0, Math.min(ITEMS, schema.maxItems ?? ITEMS));
  const length = Math.min(wanted, ITEMS_MAX);
  return Array.from({ length }, () => sampleData(schema.items ?? {}, name, depth + 1));
}

const NUMBER = 42;

function sampleNumber(schema: DataSchema, isInteger: boolean): number {
  const step = schema.multipleOf ?? (isInteger ? 1 : 0.01);
  const low = Math.max(
    schema.minimum ?? Number.NEGATIVE_INFINITY,
    (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + step,
  );
  const high = Math.min(
    schema.maximum ?? Number.POSITIVE_INFINITY,
    (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - step,
  );
  const value = Math.min(Math.max(NUMBER, low), high);
  const stepped = Math.ceil(value / step) * step;
  if (schema.multipleOf === undefined && !isInteger) return value;
  return stepped <= high ? stepped : Math.floor(high / step) * step;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: "2026-06-15",
  "date-time": "2026-06-15T18:30:00Z",
  time: "18:30:00",
  email: "alex@example.com",
  uri: "https://example.com/",
  uuid: "018f2f6e-7d1a-7c3b-9e45-0123456789ab",
};

const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/first.?name|given.?name/i, "Alexandra"],
  [/last.?name|family.?name|surname/i, "Meier"],
  [/name$/i, "Alexandra Meier"],
  [/mail/i, "alex@example.com"],
  [/phone/i, "+41 44 123 45 67"],
  [/(date|day|until|from|start|end|expir|valid|departure|arrival|boarding|doors)/i, "2026-06-15"],
  [/(number|code|id)$/i, "100200300"],
  [/(price|amount|balance|points|value)/i, "42"],
];

function sampleString(schema: DataSchema, name: string): string {
  const byFormat = schema.format === undefined ? undefined : BY_FORMAT[schema.format];
  if (byFormat !== undefined) return byFormat;
  const text = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? "Sample";
  const padded = text.padEnd(Math.min(schema.minLength ?? 0, 1_000), "x");
  return padded.slice(0, schema.maxLength ?? padded.length);
}
