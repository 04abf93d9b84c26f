import type { DataSchema } from "#src/templates/language/public.ts";

type Data = Readonly<Record<string, unknown>>;
/** As much of the types of passes as is needed to know what values a type has. */
type Types = {
  find(passType: string): { readonly rules: { readonly data?: unknown } } | undefined;
};

const NUMBER = /^-?\d{1,15}(?:\.\d{1,10})?$/;

/**
 * Vendors fill in templates, so their numbers and truth values are texts. Where the template of the
 * pass wants something else than a text, the text becomes that, and an empty one clears the value;
 * what cannot become it stays, and is refused by name.
 */
export function fitToType(types: Types, passType: string | undefined, data: Data): Data {
  const type = passType === undefined ? undefined : types.find(passType);
  const schemas = (type?.rules.data as DataSchema | undefined)?.properties ?? {};
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === "string" && Object.hasOwn(schemas, name)
        ? fitText(value, schemas[name])
        : value,
    ]),
  );
}

function fitText(text: string, schema: DataSchema | undefined): unknown {
  const wanted: unknown = schema?.type;
  const wants = (name: string) => (Array.isArray(wanted) ? wanted.includes(name) : wanted === name);
  if (wanted === undefined || wants("string")) return text;
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if ((wants("number") || wants("integer")) && NUMBER.test(trimmed)) return Number(trimmed);
  if (wants("boolean") && /^(?:true|false)$/i.test(trimmed)) {
    return trimmed.toLowerCase() === "true";
  }
  return text;
}
