import type { Finding } from "#src/files/public.ts";
import { valuesIn } from "../schema/change.ts";
import { SECTIONS } from "../schema/field.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { templateFinding } from "../template.findings.ts";
import type { TemplateValue } from "../template.value.ts";
import { CURRENCIES } from "./currencies.ts";
import { fieldChangeNeverShown, fieldNoEffect } from "./findings.ts";
import { type PlacedField, placedFields } from "./placed.ts";

export function fieldFindings(compiled: CompiledTemplate): Finding[] {
  const ofFields = placedFields(compiled, SECTIONS).flatMap((each) => [
    ...changeFindings(each, compiled),
    ...idleMembers(each, compiled),
  ]);
  return [...ofFields, ...currencyFindings(compiled)];
}

function currencyFindings(compiled: CompiledTemplate): Finding[] {
  const named = placedFields(compiled, SECTIONS).map(({ field: { format }, section, index }) => ({
    currency: format?.currency,
    pointer: ["fields", section, index, "format", "currency"],
  }));
  const { giftCard } = compiled.template;
  return [...named, { currency: giftCard?.currency, pointer: ["giftCard", "currency"] }].flatMap(
    ({ currency, pointer }) => {
      if (currency === undefined || CURRENCIES.has(currency)) return [];
      const message = `there is no currency '${currency}'`;
      return [templateFinding("unknown-currency", compiled.at(pointer), message)];
    },
  );
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
  const findings: Finding[] = [];
  const addFor = (what: string, isWrong: (message: string) => boolean) => {
    const wrong = locales.languages.filter((language) => isWrong(textIn(change, language)));
    if (wrong.length === 0) return;
    const where = wrong.length === locales.languages.length ? "" : ` in ${wrong.join(", ")}`;
    findings.push(fieldChangeNeverShown(change, { reason: `${what}${where}` }));
  };
  addFor("it has no %@", (message) => valuesIn(message) === 0);
  // One of several may be left out by a condition.
  addFor("it has %@ more than once", (message) => valuesIn(message) > 1 && !message.includes("{%"));
  return findings;
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
