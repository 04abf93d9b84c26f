import type { Section } from "../schema/field.ts";
import type { CompiledField, CompiledTemplate } from "../template.compiled.ts";

/** A field and where it stands. */
export type PlacedField = {
  readonly field: CompiledField;
  readonly section: Section;
  readonly index: number;
};

/** The fields of some sections, in their order. */
export function placedFields(
  { fields }: CompiledTemplate,
  sections: readonly Section[],
): PlacedField[] {
  return sections.flatMap((section) =>
    fields[section].map((field, index) => ({ field, section, index })),
  );
}
