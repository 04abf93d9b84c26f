import type { Finding } from "#src/files/public.ts";
import type {
  CompiledTemplate,
  DataSchema,
  TemplateValue,
} from "#src/templates/language/public.ts";
import { namesOfClass } from "../google.content.ts";
import {
  googleClassPerPass,
  googleClassPerText,
  googleClassTextShared,
} from "../google.findings.ts";
import { GOOGLE_KINDS, type GoogleType, googleType } from "../google.kinds.ts";

/** Values below these names, with the exception of the type, are different for each pass. */
const OF_ONE_PASS = new Set(["pass", "identifiers", "privileges"]);
const FORMATS_OF_ONE_PASS = new Set(["email", "uuid"]);
/** Data that speak of a person, in the languages in which they are named most often. */
const OF_ONE_PERSON = new RegExp(
  [
    "^(first|last|full|given|family|middle|nick|sur|vor|nach|user)[_-]?names?$",
    "^(pre)?nom$|email|e-mail|phone|mobile|birth|geburt",
    "^(holder|guest|member|customer|passenger|owner|recipient|attendee)([_-]?(name|id|number|no))?$",
  ].join("|"),
  "i",
);

/** Details that a class has from its passes, beside those that tell it from other classes. */
const TEXTS_OF_CLASS: Readonly<Partial<Record<GoogleType, readonly string[]>>> = {
  eventTicket: ["event.name", "event.venue", "event.address"],
  flight: ["transit.carrierName", "transit.terminal", "transit.gate"],
};

/**
 * Texts that Google keeps on a class, and of which each pass has its own. Where they tell classes apart, Google gets
 * a class per pass and deletes none, so that what such a text says of a person stays there. Where they do not, the
 * holders of other passes see it.
 */
export function classFindings(compiled: CompiledTemplate): Finding[] {
  const type = googleType(compiled.template);
  const { id = "" } = GOOGLE_KINDS[type];
  const names = namesOfClass(compiled);
  // An event or flight with an id is known by that alone.
  const identifying = compiled.details.has(id) ? [id] : names;
  const shared = [...(TEXTS_OF_CLASS[type] ?? []), ...names.filter((name) => name === "primary")];
  return [
    ...identifying.flatMap((name) => worstOf(compiled, name, googleClassPerPass)),
    ...shared
      .filter((name) => !identifying.includes(name))
      .flatMap((name) => worstOf(compiled, name, googleClassTextShared)),
  ];
}

function worstOf(compiled: CompiledTemplate, name: string, ofOnePass: FindingOfClass): Finding[] {
  const value = name === "primary" ? compiled.fields.primary[0]?.value : compiled.details.get(name);
  const found = value === undefined ? [] : findingsOf(compiled, name, value, ofOnePass);
  const worst = found.find(({ severity }) => severity === "warning") ?? found[0];
  return worst === undefined ? [] : [worst];
}

type FindingOfClass = typeof googleClassPerPass;

function findingsOf(
  { template }: CompiledTemplate,
  name: string,
  { text, within }: TemplateValue,
  ofOnePass: FindingOfClass,
): Finding[] {
  const part = name === "primary" ? "fields.primary" : name;
  return text.references.flatMap(({ segments, index }) => {
    const variable = segments.join(".");
    const facts = { part, variable };
    const schema = schemaOf(template.data as DataSchema | undefined, segments);
    if (isOfOnePass(segments, schema)) return [ofOnePass(within(index), facts)];
    const isOpen = segments[0] === "data" && !isBounded(schema);
    // An event or flight is at home on a class, whatever its name is.
    return isOpen && googleType(template) === "offer"
      ? [googleClassPerText(within(index), facts)]
      : [];
  });
}

function isOfOnePass([root = "", ...path]: readonly string[], schema: DataSchema | undefined) {
  if (OF_ONE_PASS.has(root)) return path[0] !== "passType" && path[0] !== "status";
  if (root !== "data" || isBounded(schema)) return false;
  return (
    FORMATS_OF_ONE_PASS.has(schema?.format ?? "") || path.some((one) => OF_ONE_PERSON.test(one))
  );
}

/** True if there are few values: words of a list, or numbers such as those of a discount. */
function isBounded(schema: DataSchema | undefined): boolean {
  if (schema === undefined) return false;
  return (
    schema.enum !== undefined ||
    schema.const !== undefined ||
    ["integer", "number", "boolean"].includes(String(schema.type))
  );
}

function schemaOf(
  data: DataSchema | undefined,
  [, ...path]: readonly string[],
): DataSchema | undefined {
  return path.reduce<DataSchema | undefined>((schema, name) => schema?.properties?.[name], data);
}
