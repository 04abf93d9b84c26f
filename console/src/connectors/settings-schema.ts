import { useQuery } from "@tanstack/react-query";
import { settings } from "../settings.ts";
import type { Settings } from "./connector.ts";

/*
 * The form of a connector follows from what the API says about its settings (`/openapi.json`), so a
 * connector that is new, or a member that is new, has its field without a change here.
 */

const TIMEOUT_MS = 30_000;

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
};

type Description = {
  readonly paths: Readonly<
    Record<string, { put?: { requestBody?: { content: Record<string, { schema: Schema }> } } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export type FieldKind = "text" | "secret" | "switch" | "number" | "choice" | "list" | "pairs";

/** One field of the form. `path` has a slash where the API has a dot: `earn/privilege`. */
export type SettingField = {
  readonly path: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly help: string;
  readonly example: unknown;
  readonly choices: readonly string[];
  readonly isNumber: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
};

async function loadDescription(): Promise<Description> {
  const response = await fetch(`${settings.baseUrl}/openapi.json`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return (await response.json()) as Description;
}

/** The fields of a connector. The description is large, so it is fetched when a form is opened. */
export function useSettingFields(name: string, secrets: readonly string[]) {
  return useQuery({
    queryKey: ["openapi"],
    queryFn: loadDescription,
    staleTime: Number.POSITIVE_INFINITY,
    select: (description) => fieldsOf(description, name, new Set(secrets)),
  });
}

function fieldsOf(
  description: Description,
  name: string,
  secrets: ReadonlySet<string>,
): readonly SettingField[] {
  const operation = description.paths[`/api/{tenantId}/admin/extensions/${name}`]?.put;
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return [];
  const found = flatten(description, schema, "", true);
  const fields = found.map((field) =>
    secrets.has(field.path) ? { ...field, kind: "secret" as const } : field,
  );
  // Secrets stand behind what they belong to, and the switch for all comes last.
  const rank = ({ kind, path }: SettingField) =>
    path === "enabled" ? 2 : kind === "secret" ? 1 : 0;
  return fields.sort((left, right) => rank(left) - rank(right));
}

/** Follows references, and leaves out that something may be null. */
function resolve({ components }: Description, schema: Schema): Schema {
  const { description, examples } = schema;
  const told = {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  };
  if (schema.$ref !== undefined) {
    const target = components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {};
    return { ...resolve({ components } as Description, target), ...told };
  }
  const others = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (schema.anyOf !== undefined && others.length === 1 && others[0] !== undefined) {
    return { ...resolve({ components } as Description, others[0]), ...told };
  }
  return schema;
}

function flatten(
  description: Description,
  schema: Schema,
  prefix: string,
  isNeeded: boolean,
): SettingField[] {
  const { properties = {}, required = [] } = resolve(description, schema);
  return Object.entries(properties).flatMap(([name, raw]) => {
    const member = resolve(description, raw);
    const path = prefix + name;
    const isRequired = isNeeded && required.includes(name);
    if (member.properties !== undefined) {
      return flatten(description, member, `${path}/`, isRequired);
    }
    return [fieldOf(description, path, member, isRequired)];
  });
}

function fieldOf(
  description: Description,
  path: string,
  member: Schema,
  isRequired: boolean,
): SettingField {
  const constants = member.anyOf?.flatMap((one) => one.const ?? []) ?? [];
  const choices = member.enum ?? constants;
  const items = member.items === undefined ? undefined : resolve(description, member.items);
  const isNumber = ["integer", "number"].includes(String(items?.type ?? member.type));
  return {
    path,
    kind: kindOf(member, choices),
    isRequired,
    help: member.description ?? "",
    example: member.examples?.[0],
    choices,
    isNumber,
    minimum: member.minimum,
    maximum: member.maximum,
  };
}

function kindOf({ type }: Schema, choices: readonly string[]): FieldKind {
  if (choices.length > 0) return "choice";
  if (type === "boolean") return "switch";
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return "list";
  return type === "object" ? "pairs" : "text";
}

export type Pair = { readonly name: string; readonly value: string };
export type FieldValue = string | boolean | readonly string[] | readonly Pair[];
export type FormValues = Record<string, FieldValue>;

/** What the form begins with. Stored secrets are never shown, so their fields begin empty. */
export function valuesOf(fields: readonly SettingField[], stored: Settings): FormValues {
  return Object.fromEntries(
    fields.map((field) => [field.path, shownOf(field, at(stored, field.path))]),
  );
}

function at(stored: Settings, path: string): unknown {
  let value: unknown = stored;
  for (const part of path.split("/")) value = (value as Settings | null | undefined)?.[part];
  return value;
}

function shownOf({ kind, path }: SettingField, value: unknown): FieldValue {
  if (kind === "switch") return value === undefined ? path === "enabled" : value === true;
  if (kind === "list") return Array.isArray(value) ? value.map(asText) : [];
  if (kind === "pairs") {
    return Object.entries((value ?? {}) as Settings).map(([name, text]) => ({
      name,
      value: asText(text),
    }));
  }
  return kind === "secret" || value === undefined || value === null ? "" : asText(value);
}

const asText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** What is sent: nothing for what is left empty, so that defaults and stored secrets hold. */
export function bodyOf(
  fields: readonly SettingField[],
  values: FormValues,
  stored: Settings,
): Settings {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = sentOf(field, values[field.path], at(stored, field.path));
    if (value !== undefined) put(body, field.path.split("/"), value);
  }
  return body;
}

function sentOf(
  { kind, isNumber, path }: SettingField,
  value: FieldValue | undefined,
  before: unknown,
) {
  if (kind === "switch") {
    return value === true || before !== undefined || path === "enabled"
      ? value === true
      : undefined;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    if (kind === "pairs") {
      const pairs = (value as readonly Pair[]).filter(({ name }) => name !== "");
      return Object.fromEntries(pairs.map((pair) => [pair.name, pair.value]));
    }
    return (value as readonly string[]).map((text) => (isNumber ? asNumber(text) : asObject(text)));
  }
  if (value === undefined || value === "") return undefined;
  return kind === "number" ? asNumber(String(value)) : value;
}

/** What is no number stays as it is: the API says what it wants. */
const asNumber = (text: string): unknown => (Number.isNaN(Number(text)) ? text : Number(text));

/** Some lists take objects beside plain names; those are written as JSON. */
function asObject(text: string): unknown {
  if (!text.startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function put(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const inner = (body[first] ?? {}) as Record<string, unknown>;
  body[first] = inner;
  put(inner, rest, value);
}

/** `fields.firstName` and `events[2]` belong to the fields `fields` and `events`. */
export function fieldAt(fields: readonly SettingField[], path: string): string {
  const parts = path.replace(/\[\d+\].*$/, "").split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const candidate = parts.slice(0, length).join("/");
    if (fields.some((field) => field.path === candidate)) return candidate;
  }
  // Something is missing in a group: its first field says so.
  return fields.find((field) => field.path.startsWith(`${parts[0]}/`))?.path ?? path;
}
