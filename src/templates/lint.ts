import type { Finding } from "#src/tenants/public.ts";
import { APPLE_STYLES } from "./apple-content.ts";
import type { JsonObject } from "./layout.merge.ts";
import { barcodeFindings } from "./lint.barcode.ts";
import { fieldFindings } from "./lint.fields.ts";
import { appleMemberMissing, storeDuplicateId, templateDuplicateName } from "./lint.findings.ts";
import { googleFindings } from "./lint.google.ts";
import { localeFindings } from "./lint.locales.ts";
import { colorFindings } from "./lint.look.ts";
import { nameFindings } from "./lint.names.ts";
import type { CompiledTemplate } from "./template.compile.ts";
import { type SourceReading, STORES_PATH } from "./template.set.ts";
import type { SamplePass } from "./template.trial.ts";

/** Rules of both wallets that a template breaks whatever its passes hold. */
export function lintTemplate(
  compiled: CompiledTemplate,
  { lacksStores }: Pick<SourceReading, "lacksStores">,
): Finding[] {
  return [
    ...fieldFindings(compiled),
    ...colorFindings(compiled),
    ...nameFindings(compiled, lacksStores),
  ];
}

/** Rules that show on a pass. */
export function lintSample(compiled: CompiledTemplate, sample: SamplePass): Finding[] {
  return [
    ...barcodeFindings(compiled, sample.pass.main.barcode?.message ?? ""),
    ...appleFindings(compiled, sample.passJson),
    ...googleFindings(compiled, sample.googleClass, sample.googleObject),
  ];
}

/** What the files of a set have to agree on. */
export function lintSet(reading: SourceReading): Finding[] {
  return [...repeatedNames(reading), ...repeatedStores(reading), ...localeFindings(reading)];
}

/** Only a layout can take these away. */
function appleFindings(
  { kind, layouts: { apple } }: CompiledTemplate,
  passJson: JsonObject,
): Finding[] {
  if (apple === undefined) return [];
  return ["organizationName", "description", APPLE_STYLES[kind]]
    .filter((member) => Object.hasOwn(apple.source, member))
    .filter((member) => passJson[member] === undefined || passJson[member] === "")
    .map((member) => appleMemberMissing(apple.keyAt([member]), { member }));
}

function repeatedNames({ set }: SourceReading): Finding[] {
  const pathByName = new Map<string, string>();
  return [...set.templates.values()].flatMap(({ template: { name }, path, at }) => {
    const other = pathByName.get(name);
    if (other !== undefined) return [templateDuplicateName(at(["name"]), { name, other })];
    pathByName.set(name, path);
    return [];
  });
}

function repeatedStores({ set, sources }: SourceReading): Finding[] {
  const file = sources.get(STORES_PATH)?.file;
  const known = new Set<string>();
  return set.stores.flatMap(({ id }, index) => {
    const isKnown = known.has(id);
    known.add(id);
    if (!isKnown || file === undefined) return [];
    const place = { file: STORES_PATH, ...file.at(["stores", index, "id"]) };
    return [storeDuplicateId(place, { id })];
  });
}
