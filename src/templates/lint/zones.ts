import type { Finding } from "#src/files/public.ts";
import { isKnownZone } from "../liquid/format.ts";
import { SECTIONS } from "../schema/field.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { templateFinding } from "../template.findings.ts";
import { placedFields } from "./placed.ts";

/** The zones of places of a journey have a rule of their own, because Apple Wallet shows them. */
export function zoneFindings(compiled: CompiledTemplate): Finding[] {
  const ofFields = placedFields(compiled, SECTIONS).map(({ field }) => field.timeZone);
  return [compiled.details.get("event.timeZone"), ...ofFields].flatMap((value) => {
    if (value?.text.isLiteral !== true || isKnownZone(value.text.source)) return [];
    const message = `there is no time zone '${value.text.source}'`;
    return [templateFinding("unknown-time-zone", value, message)];
  });
}
