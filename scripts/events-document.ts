import type { EventDefinition } from "#kernel/events/define.ts";
import {
  asJsonSchema,
  type JsonObject,
  type JsonSchema,
} from "#kernel/http/openapi/json-schema.ts";
import { isObject } from "#kernel/json.ts";

const HEAD = `# Events

What Billfold tells [webhooks](webhooks.md) and \`GET /api/{tenantId}/events\`. Every event has the same
envelope; what differs is \`data\`, described below.

\`\`\`json
{
  "id": "evt_0VfQm3Ks00x7Rk2LwPq9Zt",
  "event": "configuration.published",
  "tenantId": "cafe-lune",
  "occurredAt": "2026-01-31T09:30:00.000Z",
  "environment": "production",
  "data": {}
}
\`\`\`

An event about a change can also have \`previous\`: the resource as it was before. A \`*\` in a name stands
for an id (\`store.*.updated\` is sent as \`store.berlin-1.updated\`). Names and fields are never
renamed or removed; fields may be added, so ignore those you do not know. The OpenAPI document has a
JSON Schema for each event.

An event about a person or a pass that has been erased since keeps its name and its time. In place of its
resource it has \`"data": { "id": "ps_…", "erased": true }\`, for whoever reads or is sent it from then on.

This page is generated from the definitions of the events.
`;

/** Deeper members are left to the JSON Schema, because the table would be too long. */
const DEPTH_MAX = 3;

type Field = {
  readonly path: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string;
};

/** Returns the text of docs/events.md. */
export function eventsDocument(events: readonly EventDefinition[]): string {
  const sorted = events.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const contents = sorted.map(({ name, summary }) => `| ${link(name)} | ${cell(summary)} |\n`);
  const list = `\n| Event | When |\n|---|---|\n${contents.join("")}`;
  return `${HEAD}${list}${sorted.map(section).join("")}`;
}

function section({ name, version, summary, payload, example }: EventDefinition): string {
  const rows = fieldsOf(asJsonSchema(payload)).map(
    ({ path, type, isOptional, description }) =>
      `| \`${path}\` | ${type}${isOptional ? ", optional" : ""} | ${cell(description)} |\n`,
  );
  return [
    `\n## ${name}\n`,
    `${summary} Version ${version}.\n`,
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
    `| Field of \`data\` | Type | Meaning |\n|---|---|---|\n${rows.join("")}`,
  ].join("\n");
}

/** Viewers of Markdown name headings without dots and stars. */
function link(name: string): string {
  return `[\`${name}\`](#${name.replaceAll(/[^a-z0-9-]/g, "")})`;
}

function fieldsOf(schema: JsonSchema, before = "", depth = 1): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    const path = `${before}${name}`;
    const { description } = property;
    const field: Field = {
      path,
      type: typeOf(property),
      isOptional: !required.includes(name),
      description: typeof description === "string" ? description : "",
    };
    return depth < DEPTH_MAX ? [field, ...insideOf(property, path, depth + 1)] : [field];
  });
}

function insideOf(schema: JsonObject, path: string, depth: number): Field[] {
  const inner = choicesOf(schema).flatMap((choice) => fieldsOf(choice, `${path}.`, depth));
  const items = isObject(schema.items) ? insideOf(schema.items, `${path}[]`, depth) : [];
  return [...inner, ...items];
}

function choicesOf(schema: JsonSchema): JsonObject[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [{ ...schema }];
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.anyOf)) return choicesOf(schema).map(typeOf).join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map(constant).join(", ");
  if (schema.const !== undefined) return constant(schema.const);
  if (schema.format === "date-time") return "time";
  if (isObject(schema.items)) return `array of ${typeOf(schema.items)}`;
  return typeof schema.type === "string" ? schema.type : "anything";
}

function constant(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
