import type { Finding } from "#src/files/public.ts";
import type { SamplePass } from "../examination/trial.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { type SourceReading, STORES_PATH } from "../template.set.ts";
import { barcodeFindings } from "./barcode.ts";
import { fieldFindings } from "./fields.ts";
import { storeDuplicateId, templateDuplicateName } from "./findings.ts";
import { localeFindings } from "./locales.ts";
import { contrastFindings } from "./look.ts";
import { nameFindings } from "./names.ts";
import { zoneFindings } from "./zones.ts";

/** Rules for all wallets that need no pass: they look only at the template. */
export function lintTemplate(
  compiled: CompiledTemplate,
  { lacksStores }: Pick<SourceReading, "lacksStores">,
): Finding[] {
  return [
    ...fieldFindings(compiled),
    ...contrastFindings(compiled),
    ...nameFindings(compiled, lacksStores),
    ...zoneFindings(compiled),
  ];
}

/** Rules that need a rendered pass. */
export function lintSample(compiled: CompiledTemplate, sample: SamplePass): Finding[] {
  return barcodeFindings(compiled, sample.pass.main.barcode?.message ?? "");
}

/** Rules that compare several files of a set. */
export function lintSet(reading: SourceReading): Finding[] {
  return [...repeatedNames(reading), ...repeatedStores(reading), ...localeFindings(reading)];
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
