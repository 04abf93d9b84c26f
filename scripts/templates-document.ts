import type { TSchema } from "typebox";
import {
  asJsonSchema,
  type JsonObject,
  type JsonSchema,
} from "#kernel/http/openapi/json-schema.ts";
import { isObject } from "#kernel/json.ts";
import { allConfigFiles } from "#main/modules.ts";
import { type ConfigFile, loadConfigFiles } from "#src/files/public.ts";
import { GoogleLayout, Template } from "#src/templates/public.ts";
import { TenantSettings } from "#src/tenants/public.ts";

/** A kind of file that a tenant may have. Without a schema, the tenant chooses the keys. */
export type FileKind = {
  /** As in the README, with `<…>` in place of a name. */
  readonly path: string;
  readonly about: string;
  readonly schema?: TSchema;
  readonly example: string;
};

const SMALLEST = `kind: generic
name: Club card
organization: Café Lune
description: Club card of Café Lune
images: { icon: images/icon.png }
fields:
  primary:
    - { key: name, label: Member, value: "{{ data.firstName }}" }
`;

const configFiles = await loadConfigFiles(allConfigFiles().map(({ href }) => href));

function kindOf({ path, about, schema, example }: ConfigFile): FileKind {
  return { path, about, schema, example };
}

export const FILE_KINDS: readonly FileKind[] = [
  {
    path: "tenant.yml",
    about: "The one file that every tenant has: what the service itself needs to know.",
    schema: TenantSettings,
    example: "name: Café Lune\ndefaultLocale: en\ntimeZone: Europe/Paris\n",
  },
  {
    path: "server/passes/<passType>.yml",
    about:
      "A template: what passes of a type say and look like, in both wallets. The name of the file is the `passType` of the API, 1–64 letters, digits, `_` and `-`. This is the smallest one:",
    schema: Template,
    example: SMALLEST,
  },
  {
    path: "layouts/<passType>.apple.yml",
    about:
      "Laid over the `pass.json` that the template gives, for what templates have no word for. Any member of Apple's format, except those that the service sets itself; objects are merged, lists and values replaced, null takes a member away. Texts are Liquid.",
    example: 'suppressStripShine: true\nuserInfo: { member: "{{ pass.id }}" }\n',
  },
  {
    path: "layouts/<passType>.google.yml",
    about:
      "The same for the class and the object of Google Wallet, checked by the members, types and words of Google's API, which refuses a pass with one that it does not know. `id` and `classId` are the service's, and a layout cannot change them; `state` counts only while the pass is active here, so a disabled or expired pass stays so. `reviewStatus` can be nothing but UNDER_REVIEW. `callbackOptions`, `messages` and `notifyPreference` take over what the service does with them.",
    schema: GoogleLayout,
    example: "class: { viewUnlockRequirement: UNLOCK_REQUIRED_TO_VIEW }\n",
  },
  {
    path: "locales/<language>.yml",
    about:
      "Translations into a language (a BCP 47 tag such as `de` or `pt-BR`): texts by the text that they stand for, or by a key with dots that templates use in its place. The tenant's own language needs no file.",
    example: "Member: Membre\nclub:\n  terms: La carte est gratuite.\n",
  },
  ...configFiles.kinds.map(kindOf),
];

const PICTURES = `
## \`images/*\`, \`branding/*\`

Pictures: PNG, JPEG or WebP, up to 10 MiB and 16 megapixels each. Those of \`images/\` are named by templates;
one source is enough: it is fitted to every place and scale. What is in \`branding/\` belongs to public pages,
and may be of any type.
`;

const HEAD = `# Templates and the other files of a tenant

Every key of every file, with its meaning, its values, its default and an example. Files are YAML 1.2 without
anchors, tags and repeated keys, up to 256 KiB and some 20,000 values each. A key that is not listed here is an
error. What a check can say about them is in [findings](findings.md); a whole set to look at is the
[demo tenant](../demo).

This page is generated from the schemas.

## Texts

Values that say *Liquid* are [Liquid](https://shopify.github.io/liquid/) texts over \`pass\`, \`identifiers\`, \`data\`
(the \`additionalData\` of the API), \`metadata\`, \`privileges\`, \`tenant\` and \`locale\`:
\`{{ data.firstName }}\`, \`{{ identifiers['loyalty.number'] }}\`, \`{{ privileges.points.value }}\`.
A text whose translation is in \`locales/\` is replaced by it before it is filled in.

| Filter | |
|---|---|
| \`t\` | translates: \`{{ 'Hello {name}' \\| t: name: data.firstName }}\` |
| \`money\` | \`{{ data.price \\| money: 'EUR' }}\`, in the language of the holder |
| \`number\` | \`{{ data.points \\| number }}\`, \`{{ data.weight \\| number: 2 }}\` with so many decimals |
| \`date\` | \`{{ data.start \\| date: 'medium', 'short' }}\` (none, short, medium, long, full), or \`{{ data.start \\| date: '%d.%m.%Y' }}\`; in another time zone than the tenant's with \`{{ data.start \\| date: 'short', timeZone: 'Asia/Tokyo' }}\` |

Times are ISO 8601: with an offset, in UTC, or without either. A time of \`event\` or \`transit\` without an offset is meant
on the clock of its place (\`event.timeZone\`, \`transit.origin.timeZone\`, \`transit.destination.timeZone\`), and both
wallets show it on that clock however it was written. A field shows its value on the clock of \`format.timeZone\`. Where
no zone is named, it is that of \`tenant.yml\`.

Beside these there are the filters of Liquid for text, numbers and lists, and the tags \`if\`, \`unless\`, \`case\`,
\`for\`, \`assign\`, \`capture\`, \`comment\`, \`raw\` and \`echo\`. A text may be 8,192 characters long, take 5,000 steps (a
tag, an output or a turn of a loop is one; a formatter of money or dates 60, once) and give 16 KiB; all texts of
a pass together 20,000 steps in a language, 60,000 in all, and 1 MiB.
`;

/** Returns the text of docs/templates.md. */
export function templatesDocument(kinds: readonly FileKind[] = FILE_KINDS): string {
  const contents = kinds.map(({ path }) => `- [\`${path}\`](#${anchor(path)})\n`);
  return `${HEAD}\n## Files\n\n${contents.join("")}${kinds.map(section).join("")}${PICTURES}`;
}

/** Viewers of Markdown name headings without punctuation and in lower case. */
function anchor(path: string): string {
  return path.toLowerCase().replaceAll(/[^a-z0-9-]/g, "");
}

function section({ path, about, schema, example }: FileKind): string {
  const parts = [`\n## \`${path}\`\n`, `${about}\n`, `\`\`\`yaml\n${example}\`\`\`\n`];
  if (schema !== undefined) {
    const named = new Map<string, JsonObject>();
    const root = asJsonSchema(schema);
    parts.push(table(keysOf(root, named)));
    for (const [name, inner] of named) parts.push(`**${name}**\n`, table(keysOf(inner, named)));
  }
  return parts.join("\n");
}

export type Key = {
  readonly path: string;
  readonly isOptional: boolean;
  readonly schema: JsonObject;
};

/** Returns the keys of a file. Collects objects with a title, which are described once. */
export function keysOf(schema: JsonSchema, named: Map<string, JsonObject>, before = ""): Key[] {
  const { properties, required } = schema;
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    const path = `${before}${name}`;
    const key = { path, isOptional: !needed.includes(name), schema: property };
    return [key, ...keysWithin(property, named, path)];
  });
}

function keysWithin(schema: JsonObject, named: Map<string, JsonObject>, path: string): Key[] {
  const choices = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [schema];
  return choices.flatMap((choice) => {
    if (isObject(choice.$defs)) {
      for (const [name, inner] of Object.entries(choice.$defs)) {
        if (isObject(inner)) named.set(name, inner);
      }
    } else if (typeof choice.title === "string") named.set(choice.title, choice);
    else if (isObject(choice.items)) return keysWithin(choice.items, named, `${path}[]`);
    else if (isObject(choice.properties)) return keysOf(choice, named, `${path}.`);
    else {
      const [inner] = Object.values(
        isObject(choice.patternProperties) ? choice.patternProperties : {},
      );
      if (isObject(inner)) return keysWithin(inner, named, `${path}.<name>`);
    }
    return [];
  });
}

function table(keys: readonly Key[]): string {
  const rows = keys.map(({ path, isOptional, schema }) => {
    const cells = [
      `\`${path}\`${isOptional ? "" : " (needed)"}`,
      formOf(schema),
      schema.default === undefined ? "" : code(schema.default),
      cell(String(schema.description ?? "")),
      Array.isArray(schema.examples) ? code(schema.examples[0]) : "",
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  return `| Key | Value | Default | Meaning | Example |\n|---|---|---|---|---|\n${rows.join("")}`;
}

function formOf(schema: JsonObject): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isObject).map(formOf).join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(", ");
  if (schema.const !== undefined) return code(schema.const);
  if (typeof schema.$ref === "string") return schema.$ref;
  if (isObject(schema.items)) return `list of ${formOf(schema.items)}${bounds(schema)}`;
  if (typeof schema.title === "string") return schema.title;
  if (typeof schema.hint === "string") return cell(`text: ${lowerFirst(schema.hint)}`);
  switch (schema.type) {
    case "string":
      return `${schema.isLiquid === true ? "Liquid" : "text"}${bounds(schema)}`;
    case "integer":
      return `whole number${bounds(schema)}`;
    case "boolean":
      return "`true`, `false`";
    case "object":
      return isObject(schema.patternProperties) ? `names with ${formOfNames(schema)}` : "group";
    default:
      return typeof schema.type === "string" ? `${schema.type}${bounds(schema)}` : "anything";
  }
}

function formOfNames({ patternProperties }: JsonObject): string {
  const [inner] = Object.values(isObject(patternProperties) ? patternProperties : {});
  return isObject(inner) ? formOf(inner) : "anything";
}

function bounds(schema: JsonObject): string {
  const { minimum, maximum, maxLength, maxItems, isLiquid } = schema;
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, from ${minimum}`;
  if (maxItems !== undefined) return `, up to ${maxItems}`;
  return maxLength === undefined || isLiquid === true ? "" : `, up to ${maxLength} characters`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** Formats a value as YAML on one line. */
function code(value: unknown): string {
  return `\`${yaml(value).replaceAll("|", "\\|")}\``;
}

const PLAIN = /^[A-Za-zÀ-ÿ][\wÀ-ÿ ./%@-]*$/;
const WORDS = new Set(["true", "false", "null", "yes", "no"]);

function yaml(value: unknown): string {
  if (typeof value === "string") {
    return PLAIN.test(value) && !WORDS.has(value) ? value : JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(yaml).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${yaml(name)}: ${yaml(member)}`);
  return `{ ${members.join(", ")} }`;
}

/** Brackets between backticks are not escaped, because Markdown shows them unchanged. */
function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/`[^`]*`|[<>]/g, (part) => (part === "<" ? "&lt;" : part === ">" ? "&gt;" : part));
}
