import type { Finding } from "#src/files/public.ts";
import { SECTIONS } from "../schema/field.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import type { TemplateValue } from "../template.value.ts";
import { fieldChangeNeverShown, fieldNoEffect } from "./findings.ts";
import { type PlacedField, placedFields } from "./placed.ts";

export function fieldFindings(compiled: CompiledTemplate): Finding[] {
  return placedFields(compiled, SECTIONS).flatMap((each) => [
    ...changeFindings(each, compiled),
    ...idleMembers(each, compiled),
  ]);
}

/** Values that stay the same for the whole life of a pass. */
const NEVER_CHANGES = new Set(["pass.id", "pass.passType", "pass.creationDate", "locale"]);

function changeFindings({ field }: PlacedField, { locales }: CompiledTemplate): Finding[] {
  const { change, value } = field;
  if (change === undefined) return [];
  const isFixed =
    value.text.problems.length === 0 &&
    value.text.paths.every((path) => NEVER_CHANGES.has(path)) &&
    (value.text.isLiteral || value.text.paths.length > 0);
  if (isFixed) {
    return [fieldChangeNeverShown(change, { reason: "the value of the field never changes" })];
  }
  const silent = locales.languages.filter((language) => !textIn(change, language).includes("%@"));
  if (silent.length === 0) return [];
  const inAll = silent.length === locales.languages.length;
  const reason = inAll ? "it has no %@" : `it has no %@ in ${silent.join(", ")}`;
  return [fieldChangeNeverShown(change, { reason })];
}

function textIn(value: TemplateValue, language: string): string {
  return (value.translations.get(language) ?? value.text).source;
}

function idleMembers({ field, section, index }: PlacedField, compiled: CompiledTemplate) {
  const findings: Finding[] = [];
  const at = (member: string) => compiled.keyAt(["fields", section, index, member]);
  if (field.align !== undefined && (section === "primary" || section === "back")) {
    findings.push(fieldNoEffect(at("align"), { member: "align", where: `in '${section}'` }));
  }
  const hasRows = compiled.kind === "eventTicket" && section === "auxiliary";
  if (field.row !== undefined && !hasRows) {
    const where = "but in 'auxiliary' of an event ticket";
    findings.push(fieldNoEffect(at("row"), { member: "row", where }));
  }
  return findings;
}
