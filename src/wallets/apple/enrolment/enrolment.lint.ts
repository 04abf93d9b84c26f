import type { Finding } from "#src/files/public.ts";
import type { CompiledTemplate, DataSchema, Enrolment } from "#src/templates/language/public.ts";
import {
  appleEnrolmentHidden,
  appleEnrolmentLogoMissing,
  appleEnrolmentMember,
  appleEnrolmentNeverAsks,
} from "./enrolment.findings.ts";
import { ENROLMENT_KIND, keptParts, neededParts } from "./enrolment.rules.ts";

export function lintEnrolment(compiled: CompiledTemplate): Finding[] {
  const { enrolment } = compiled.template;
  if (enrolment === undefined) return [];
  return [
    ...hiddenFindings(compiled),
    ...logoFindings(compiled),
    ...memberFindings(compiled, enrolment),
    ...requiredFindings(compiled, enrolment),
  ];
}

function hiddenFindings({ kind, template, layouts, keyAt }: CompiledTemplate): Finding[] {
  const where = keyAt(["enrolment"]);
  if (kind !== ENROLMENT_KIND) {
    return [appleEnrolmentHidden(where, { reason: `this one is of kind '${kind}'` })];
  }
  const isGiven = template.nfc?.encryptionPublicKey !== undefined;
  const hasNfc = isGiven || Object.hasOwn(layouts.apple?.source ?? {}, "nfc");
  return hasNfc ? [] : [appleEnrolmentHidden(where, { reason: "this one has no NFC" })];
}

function logoFindings({ template: { images = {} }, keyAt }: CompiledTemplate): Finding[] {
  const hasLogo = images.enrolmentLogo !== undefined || images.logo !== undefined;
  return hasLogo ? [] : [appleEnrolmentLogoMissing(keyAt(["enrolment"]))];
}

/** An answer is a text. A member that takes no text would refuse every answer. */
function memberFindings({ template, at }: CompiledTemplate, enrolment: Enrolment): Finding[] {
  const data = template.data as DataSchema | undefined;
  return [...keptParts(enrolment).values()]
    .filter((member) => !takesText(data, member))
    .map((member) => appleEnrolmentMember(at(["enrolment"]), { member }));
}

function takesText(data: DataSchema | undefined, member: string): boolean {
  const { properties = {}, additionalProperties = true } = data ?? {};
  const schema = Object.hasOwn(properties, member) ? properties[member] : undefined;
  if (schema === undefined) return additionalProperties;
  const isText = schema.type === undefined || schema.type === "string";
  return isText && schema.enum === undefined && schema.const === undefined;
}

function requiredFindings({ template, keyAt }: CompiledTemplate, enrolment: Enrolment): Finding[] {
  const required = new Set((template.data as DataSchema | undefined)?.required);
  const isKnown = [...neededParts(enrolment).values()].every((member) => required.has(member));
  return isKnown ? [appleEnrolmentNeverAsks(keyAt(["enrolment"]))] : [];
}
