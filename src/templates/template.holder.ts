import type { CompiledTemplate } from "./template.compiled.ts";
import type { Pointer, TemplateValue } from "./template.value.ts";

/**
 * Who holds a pass, and by which code a scanner knows it: the texts of a template that say so, in
 * the default language, in which wallets get them.
 */

/** Details that name the person, for the kinds of pass that have one. */
const NAME_DETAILS = ["member.name", "event.holder", "transit.passenger"];

export function nameTexts(compiled: CompiledTemplate): string[] {
  const { details, fields } = compiled;
  const values = [...NAME_DETAILS.map((name) => details.get(name)), fields.primary[0]?.value];
  return sourcesOf(compiled, values);
}

/** The barcode of the template, and barcodes that the layouts lay over it. */
export function codeTexts(compiled: CompiledTemplate): string[] {
  const { barcode, layouts } = compiled;
  const laidOver = Object.values(layouts)
    .flatMap((layout) => layout?.values ?? [])
    .filter(({ pointer }) => isCode(pointer));
  return sourcesOf(compiled, [barcode?.message, ...laidOver]);
}

const CODE_MEMBERS = new Set<Pointer[number] | undefined>(["message", "value"]);
const CODE_PARENTS = new Set<Pointer[number]>(["barcode", "barcodes"]);

/** `barcodes[0].message` of Apple's layout, or `object.barcode.value` of Google's. */
function isCode(pointer: Pointer): boolean {
  return CODE_MEMBERS.has(pointer.at(-1)) && pointer.some((name) => CODE_PARENTS.has(name));
}

function sourcesOf(
  { locales: { defaultLocale } }: CompiledTemplate,
  values: readonly (TemplateValue | undefined)[],
): string[] {
  const sources = values.flatMap((value) =>
    value === undefined ? [] : [(value.translations.get(defaultLocale) ?? value.text).source],
  );
  return [...new Set(sources)];
}
