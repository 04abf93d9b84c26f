import { isTimeZone } from "#kernel/intl.ts";
import type { Finding } from "#src/files/public.ts";
import type { CompiledTemplate, JsonObject } from "#src/templates/language/public.ts";
import {
  appleNfcKey,
  appleNfcKeyMissing,
  appleNfcMessage,
  appleStyleIncomplete,
  appleTimeZone,
} from "./apple.findings.ts";
import { NFC_BYTES_MAX, nfcKeyProblem } from "./apple.proximity.ts";
import { richStyleOf } from "./apple.schemes.ts";

/** Rules for NFC and for the richer styles of newer systems. */

export function nfcFindings({ template: { nfc }, layouts, at, keyAt }: CompiledTemplate) {
  if (nfc === undefined) return [];
  if (nfc.encryptionPublicKey !== undefined) {
    const problem = nfcKeyProblem(nfc.encryptionPublicKey);
    return problem === undefined
      ? []
      : [appleNfcKey(at(["nfc", "encryptionPublicKey"]), { problem })];
  }
  // Whoever names issuers means Google, and a layout may give the key.
  const isMeantForOthers =
    nfc.redemptionIssuers !== undefined || Object.hasOwn(layouts.apple?.source ?? {}, "nfc");
  return isMeantForOthers ? [] : [appleNfcKeyMissing(keyAt(["nfc"]))];
}

/** `sample` is the message with sample data. */
export function nfcMessage({ template, nfc }: CompiledTemplate, sample: string): Finding[] {
  const size = Buffer.byteLength(sample);
  if (nfc === undefined || template.nfc?.encryptionPublicKey === undefined) return [];
  return size <= NFC_BYTES_MAX ? [] : [appleNfcMessage(nfc.message, { size, max: NFC_BYTES_MAX })];
}

const ZONES = ["transit.origin.timeZone", "transit.destination.timeZone"];

export function timeZones({ details }: CompiledTemplate): Finding[] {
  return ZONES.flatMap((name) => {
    const value = details.get(name);
    if (value === undefined || !value.text.isLiteral || isTimeZone(value.text.source)) return [];
    return [appleTimeZone(value, { name: value.text.source })];
  });
}

/** Pictures and details that only a richer style shows: whoever gives one wants that style. */
const SIGNS: Readonly<Partial<Record<CompiledTemplate["kind"], readonly string[]>>> = {
  eventTicket: ["images.artwork", "images.primaryLogo", "images.secondaryLogo"],
  boardingPass: ["images.primaryLogo", ...ZONES],
};

export function incompleteStyle(compiled: CompiledTemplate, passJson: JsonObject): Finding[] {
  const { kind, template, details, at } = compiled;
  const sign = SIGNS[kind]?.find((member) => {
    const [, image = ""] = member.split(".");
    return details.has(member) || Object.hasOwn(template.images ?? {}, image);
  });
  const rich = richStyleOf(compiled, passJson);
  if (sign === undefined || rich === undefined) return [];
  const missing = rich.needs
    // What comes with the data of a pass may be missing in the sample data only.
    .filter(({ member, isMet }) => !isMet && details.get(member)?.text.isLiteral !== false)
    .map(({ member }) => member);
  if (missing.length === 0) return [];
  return [appleStyleIncomplete(at(sign.split(".")), { style: rich.name, missing })];
}
