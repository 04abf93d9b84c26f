import type { Section } from "../schema/field.ts";
import type { CompiledField, CompiledTemplate } from "../template.compiled.ts";

export type PlacedField = {
  readonly field: CompiledField;
  readonly section: Section;
  readonly index: number;
};

export function placedFields(
  { fields }: CompiledTemplate,
  sections: readonly Section[],
): PlacedField[] {
  return sections.flatMap((section) =>
    fields[section].map((field, index) => ({ field, section, index })),
  );
}
