import type { FileSet, Finding, NamedSecrets, Place } from "#src/files/public.ts";
import type { SettingsFacts } from "#src/tenants/public.ts";
import type { ImageTemplate } from "../images/image.slots.ts";
import { lintSample, lintSet, lintTemplate } from "../lint/lint.ts";
import type { Store } from "../schema/store.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { templateFinding } from "../template.findings.ts";
import type { ImageSlot } from "../template.schema.ts";
import { readTemplates } from "../template.set.ts";
import type { RenderProblem } from "../template.value.ts";
import type { Rules } from "./rules.ts";
import { readSettings } from "./settings.ts";
import { type MadePass, makePass, makeSample, type PassRequest } from "./trial.ts";

/**
 * The images that a template names, and the places of their names. Plain data, because it is sent
 * between processes.
 */
export type NamedImages = {
  readonly template: ImageTemplate;
  readonly images: Place;
  readonly slots: Readonly<Partial<Record<ImageSlot, Place>>>;
};

/** The result of examining the YAML files of a set. Images and secrets are checked elsewhere. */
export type Examination = {
  readonly findings: readonly Finding[];
  readonly images: readonly NamedImages[];
  /** True if every template could be read, so that `images` has all images that templates name. */
  readonly namesAllImages: boolean;
  readonly stores: readonly Store[];
  readonly named: readonly NamedSecrets<unknown>[];
  /** Only if a pass was requested. */
  readonly made?: MadePass;
};

/**
 * The YAML files of a tenant, and the settings from its `tenant.yml`, which has been read before.
 * Sent between processes.
 */
export type Texts = {
  readonly files: FileSet;
  readonly tenant: SettingsFacts;
  /** A pass to make beside. */
  readonly request?: PassRequest;
};

/**
 * Reads every file, renders every template with sample data and applies the rules of all wallets.
 */
export function examine(
  { files, tenant, request }: Texts,
  { kinds, wallets }: Rules,
  onFile: (path: string) => void,
): Examination {
  const reading = readTemplates(files, tenant, onFile);
  const withErrors = new Set(
    reading.findings.filter(({ severity }) => severity === "error").map(({ file }) => file),
  );
  const templates = [...reading.set.templates.values()];
  const linted = templates.flatMap((compiled) => {
    onFile(compiled.path);
    const findings = [
      ...lintTemplate(compiled, reading),
      ...wallets.flatMap((wallet) => wallet.lintTemplate(compiled)),
    ];
    if (withErrors.has(compiled.path)) return findings;
    const sample = makeSample(compiled, reading.set);
    return [
      ...findings,
      ...sample.problems.flatMap(toFindings),
      ...lintSample(compiled, sample),
      ...wallets.flatMap((wallet) => wallet.lintSample(compiled, sample.pass)),
    ];
  });
  const settings = readSettings(files, kinds, onFile);
  return {
    images: templates.map(namedImages),
    namesAllImages: reading.isWhole,
    stores: reading.set.stores,
    named: settings.named,
    ...(request === undefined ? {} : { made: makePass(reading.set, withErrors, request) }),
    findings: [...reading.findings, ...linted, ...lintSet(reading), ...settings.findings],
  };
}

function toFindings(problem: RenderProblem): Finding[] {
  const { failure, message } = problem;
  // The rules for barcodes say it, and samples always have an organization.
  if (failure === "no-barcode" || failure === "no-organization") return [];
  return [templateFinding(failure, problem, `this text ${message}`)];
}

function namedImages({ template, at }: CompiledTemplate): NamedImages {
  const { kind, images, transit, enrolment } = template;
  const slots = Object.keys(images ?? {}).map((slot) => [slot, at(["images", slot])]);
  return {
    template: {
      kind,
      ...(images === undefined ? {} : { images }),
      ...(transit === undefined ? {} : { transit }),
      ...(enrolment === undefined ? {} : { enrolment }),
    },
    images: at(["images"]),
    slots: Object.fromEntries(slots),
  };
}
