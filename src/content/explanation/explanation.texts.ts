import { SECTIONS, type Section } from "#src/templates/language/public.ts";
import type { RenderedPass } from "#src/templates/public.ts";

/** A text of a rendered pass, and how the pass looks with another text in its place. */
export type PassText = {
  readonly name: string;
  /** Its place in the file of the template. */
  readonly pointer: readonly (string | number)[];
  /** The key, for fields. */
  readonly key?: string;
  readonly label?: string;
  readonly text: string;
  with(pass: RenderedPass, text: string): RenderedPass;
};

/** Every text of the pass, in the order in which people look at a template. */
export function textsOf(pass: RenderedPass): PassText[] {
  return [
    ...plainTexts(pass),
    ...barcodeTexts(pass),
    ...SECTIONS.flatMap((section) => fieldTexts(pass, section)),
    ...[...pass.details].map(([name, text]) => detailText(name, text)),
    ...(pass.expiresAt === undefined ? [] : [expirationText(pass.expiresAt)]),
  ];
}

const PLAIN = ["organization", "description", "logoText", "grouping"] as const;

function plainTexts(pass: RenderedPass): PassText[] {
  return PLAIN.map((name) => ({
    name,
    pointer: [name],
    text: pass[name],
    with: (changed, text) => ({ ...changed, [name]: text }),
  }));
}

function barcodeTexts({ barcode }: RenderedPass): PassText[] {
  if (barcode === undefined) return [];
  return (["message", "text"] as const).map((name) => ({
    name: `barcode.${name}`,
    pointer: ["barcode", name],
    text: barcode[name],
    with: (changed, text) => ({
      ...changed,
      barcode: { ...(changed.barcode ?? barcode), [name]: text },
    }),
  }));
}

function fieldTexts({ fields }: RenderedPass, section: Section): PassText[] {
  return fields[section].map(({ key, label, text: own }, at) => ({
    name: `fields.${section}.${key}`,
    pointer: ["fields", section, at, "value"],
    key,
    label,
    text: own,
    with: (changed, text) => ({
      ...changed,
      fields: {
        ...changed.fields,
        // Without its raw form, which a wallet would be sent instead of the text.
        [section]: changed.fields[section].map((field, index) =>
          index === at ? { ...field, text, raw: undefined, format: undefined } : field,
        ),
      },
    }),
  }));
}

function detailText(name: string, own: string): PassText {
  return {
    name,
    pointer: name.split("."),
    text: own,
    with: (changed, text) => ({ ...changed, details: new Map(changed.details).set(name, text) }),
  };
}

function expirationText(own: string): PassText {
  return {
    name: "expirationDate",
    pointer: ["expiration", "at"],
    text: own,
    with: (changed, text) => ({ ...changed, expiresAt: text }),
  };
}
