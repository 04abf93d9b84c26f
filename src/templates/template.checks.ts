import type { Finding, Place } from "#src/files/public.ts";
import { BLOCKS, tripStatus } from "./schema/block.ts";
import type { DataSchema } from "./schema/data.ts";
import { SECTIONS } from "./schema/field.ts";
import type { CompiledTemplate } from "./template.compiled.ts";
import { parseDuration } from "./template.expiration.ts";
import { templateFinding } from "./template.findings.ts";
import { BLOCK_OF_KIND } from "./template.schema.ts";
import { type Pointer, referencesOf, type TemplateValue } from "./template.value.ts";

/** Checks a template by the rules that hold for all wallets. */
export function checkTemplate(compiled: CompiledTemplate): Finding[] {
  const { at, keyAt } = compiled;
  return [
    ...compiled.values.flatMap(textFindings),
    ...unknownMembers(compiled),
    ...repeatedKeys(compiled, at),
    ...blockFindings(compiled, keyAt),
    ...dataFindings(compiled, keyAt),
    ...expirationFindings(compiled, at),
    ...formatFindings(compiled, at),
    ...statusFindings(compiled),
  ];
}

function textFindings(value: TemplateValue): Finding[] {
  const own = value.text.problems.map(({ code, message, hint, index }) =>
    templateFinding(code, value.within(index), message, hint),
  );
  const translated = [...value.translations].flatMap(([language, text]) =>
    text.problems.map(({ code, message, hint }) =>
      templateFinding(code, value, `in its translation to '${language}', ${message}`, hint),
    ),
  );
  return [...own, ...translated];
}

/** Reports references to members of `data` and `privileges` that the template does not declare. */
function unknownMembers({ values, template }: CompiledTemplate): Finding[] {
  const privileges = new Set((template.privileges ?? []).map(({ id }) => id));
  return values.flatMap(referencesOf).flatMap(({ segments, place, language }) => {
    const [root, member = "*", ...rest] = segments;
    if (member === "*") return [];
    const where = language === undefined ? "" : `in its translation to '${language}', `;
    if (root === "data" && !declares(template.data as DataSchema | undefined, [member, ...rest])) {
      return [templateFinding("unknown-data", place, `${where}'data' declares no '${member}'`)];
    }
    if (root === "privileges" && template.privileges !== undefined && !privileges.has(member)) {
      const message = `${where}there is no privilege '${member}'`;
      return [templateFinding("unknown-privilege", place, message)];
    }
    return [];
  });
}

const COMPUTED = new Set(["size", "first", "last", "*"]);

function declares(schema: DataSchema | undefined, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (schema === undefined || name === undefined || COMPUTED.has(name)) return true;
  if (schema.items !== undefined) return declares(schema.items, rest);
  if (schema.properties === undefined) return true;
  const member = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  if (member !== undefined) return declares(member, rest);
  return false;
}

type At = (pointer: Pointer) => Place;

/**
 * Both wallets identify a field by its key, so the second field with the same key would be lost.
 */
function repeatedKeys({ fields }: CompiledTemplate, at: At): Finding[] {
  const seen = new Set<string>();
  return SECTIONS.flatMap((section) =>
    fields[section].flatMap(({ key }, index) => {
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      const where = at(["fields", section, index, "key"]);
      return [templateFinding("duplicate-key", where, `the key '${key}' is used twice`)];
    }),
  );
}

function blockFindings({ template, kind }: CompiledTemplate, keyAt: At): Finding[] {
  const own = BLOCK_OF_KIND[kind];
  const foreign = BLOCKS.filter((block) => block !== own && template[block] !== undefined).map(
    (block) =>
      templateFinding("wrong-block", keyAt([block]), `'${block}' is not for kind '${kind}'`),
  );
  if (kind !== "boardingPass" || template.transit !== undefined) return foreign;
  const missing = "a boarding pass needs 'transit' with the type of transport";
  return [...foreign, templateFinding("transit-missing", keyAt(["kind"]), missing)];
}

/** A pass has at most 500 members of data. Checking them takes longer for a larger schema. */
const DATA_WEIGHT_MAX = 1_000;

function dataFindings({ template: { data } }: CompiledTemplate, keyAt: At): Finding[] {
  if (data === undefined || weightOf(data as DataSchema) <= DATA_WEIGHT_MAX) return [];
  const message = `the schema has more than ${DATA_WEIGHT_MAX} members, required names and allowed values`;
  return [templateFinding("data-too-large", keyAt(["data"]), message)];
}

function weightOf(schema: DataSchema): number {
  const { properties = {}, items, required = [], enum: values = [] } = schema;
  let weight = 1 + required.length + values.length;
  for (const member of [...Object.values(properties), ...(items === undefined ? [] : [items])]) {
    weight += weightOf(member);
  }
  return weight;
}

function expirationFindings({ template: { expiration } }: CompiledTemplate, at: At): Finding[] {
  if (expiration === undefined) return [];
  const { after, at: moment } = expiration;
  if ((after === undefined) === (moment === undefined)) {
    const message = "needs either 'after' or 'at'";
    return [templateFinding("expiration", at(["expiration"]), message)];
  }
  if (after === undefined || parseDuration(after) !== undefined) return [];
  const message = `'${after}' is not a duration`;
  return [templateFinding("expiration", at(["expiration", "after"]), message)];
}

function statusFindings({ details }: CompiledTemplate): Finding[] {
  const status = details.get("transit.status");
  if (status?.text.isLiteral !== true || tripStatus(status.text.source) !== undefined) return [];
  const message = `'${status.text.source}' is no status of a journey`;
  return [templateFinding("unknown-status", status, message)];
}

function formatFindings({ fields }: CompiledTemplate, at: At): Finding[] {
  return SECTIONS.flatMap((section) =>
    fields[section].flatMap(({ format = {} }, index) => {
      const kinds = [
        format.date !== undefined || format.time !== undefined,
        format.number !== undefined,
        format.currency !== undefined,
      ].filter(Boolean).length;
      if (kinds <= 1) return [];
      const where = at(["fields", section, index, "format"]);
      return [templateFinding("mixed-format", where, "a value has one format only")];
    }),
  );
}
