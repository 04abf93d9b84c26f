import {
  checkImport,
  checkSchedule,
  checkYaml,
  type FileSet,
  type Finding,
  type Place,
  readYaml,
  type YamlFile,
} from "#src/tenants/public.ts";
import { AppleSettings } from "./apple.schema.ts";
import { ConnectorSettings, isConnectorFile, settingsUnknown } from "./examination.files.ts";
import { GoogleSettings } from "./google.schema.ts";
import { lintSample, lintSet, lintTemplate } from "./lint.ts";
import type { Store } from "./store.schema.ts";
import type { CompiledTemplate } from "./template.compile.ts";
import { templateFinding } from "./template.findings.ts";
import type { ImageSlot, Template } from "./template.schema.ts";
import { isTemplateFile, readTemplates } from "./template.set.ts";
import { makeSample } from "./template.trial.ts";
import type { RenderProblem } from "./template.value.ts";

/** Images that a template names, and where. Plain data: it travels between processes. */
export type NamedImages = {
  readonly template: Pick<Template, "kind" | "images">;
  readonly images: Place;
  readonly slots: Readonly<Partial<Record<ImageSlot, Place>>>;
};

/** Settings that name secrets, and where. */
export type NamedSecrets<Settings> = {
  readonly settings: Settings;
  readonly places: Readonly<Record<string, Place>>;
};

/** All that the texts of a set tell; pictures and secrets are looked at elsewhere. */
export type Examination = {
  readonly findings: readonly Finding[];
  readonly images: readonly NamedImages[];
  /** All images that templates name are among them: every template could be read. */
  readonly namesAllImages: boolean;
  readonly stores: readonly Store[];
  readonly apple?: NamedSecrets<AppleSettings> | undefined;
  readonly google?: NamedSecrets<GoogleSettings> | undefined;
};

/** Reads every file, tries every template and applies the rules of both wallets. */
export function examine(files: FileSet, onFile: (path: string) => void): Examination {
  const reading = readTemplates(files, onFile);
  const withErrors = new Set(
    reading.findings.filter(({ severity }) => severity === "error").map(({ file }) => file),
  );
  const templates = [...reading.set.templates.values()];
  const linted = templates.flatMap((compiled) => {
    onFile(compiled.path);
    const findings = lintTemplate(compiled, reading);
    if (withErrors.has(compiled.path)) return findings;
    const sample = makeSample(compiled, reading.set);
    return [...findings, ...sample.problems.map(toFinding), ...lintSample(compiled, sample)];
  });
  const settings = new SettingsReader(files, onFile);
  return {
    images: templates.map(namedImages),
    namesAllImages: reading.isWhole,
    stores: reading.set.stores,
    apple: settings.apple(),
    google: settings.google(),
    findings: [...reading.findings, ...linted, ...lintSet(reading), ...settings.findings()],
  };
}

function toFinding(problem: RenderProblem): Finding {
  return templateFinding(problem.failure, problem, `this text ${problem.message}`);
}

function namedImages({ template: { kind, images }, at }: CompiledTemplate): NamedImages {
  const slots = Object.keys(images ?? {}).map((slot) => [slot, at(["images", slot])]);
  return {
    template: images === undefined ? { kind } : { kind, images },
    images: at(["images"]),
    slots: Object.fromEntries(slots),
  };
}

const APPLE_PATH = "server/apple.yml";
const GOOGLE_PATH = "server/google.yml";

/** Files beside the templates. */
class SettingsReader {
  readonly #files: FileSet;
  readonly #onFile: (path: string) => void;
  readonly #findings: Finding[] = [];

  constructor(files: FileSet, onFile: (path: string) => void) {
    this.#files = files;
    this.#onFile = onFile;
  }

  apple(): NamedSecrets<AppleSettings> | undefined {
    const file = this.#read(APPLE_PATH, (read) => checkYaml(APPLE_PATH, read, AppleSettings));
    return file === undefined
      ? undefined
      : namedSecrets(APPLE_PATH, file, file.value as AppleSettings);
  }

  google(): NamedSecrets<GoogleSettings> | undefined {
    const file = this.#read(GOOGLE_PATH, (read) => checkYaml(GOOGLE_PATH, read, GoogleSettings));
    return file === undefined
      ? undefined
      : namedSecrets(GOOGLE_PATH, file, file.value as GoogleSettings);
  }

  /** Of the files asked for before, and of all others. */
  findings(): Finding[] {
    const hasPassType = (passType: string) => this.#files.has(`server/passes/${passType}.yml`);
    for (const path of this.#files.keys()) {
      if (!/^server\/[^/]+\.yml$/.test(path) || isTemplateFile(path)) continue;
      if (path === APPLE_PATH || path === GOOGLE_PATH) continue;
      if (path === "server/schedule.yml") this.#read(path, (file) => checkSchedule(path, file));
      else if (path === "server/import.yml")
        this.#read(path, (file) => checkImport(path, file, hasPassType));
      else if (isConnectorFile(path))
        this.#read(path, (file) => checkYaml(path, file, ConnectorSettings));
      else this.#findings.push(settingsUnknown({ file: path }, { path }));
    }
    return this.#findings;
  }

  #read(path: string, check: (file: YamlFile) => Finding[]): YamlFile | undefined {
    const bytes = this.#files.get(path);
    if (bytes === undefined) return undefined;
    this.#onFile(path);
    const { file, findings } = readYaml(path, bytes);
    this.#findings.push(...findings);
    if (file === undefined) return undefined;
    const wrong = check(file);
    this.#findings.push(...wrong);
    return wrong.length > 0 ? undefined : file;
  }
}

function namedSecrets<Settings extends { secrets: object }>(
  path: string,
  file: YamlFile,
  settings: Settings,
): NamedSecrets<Settings> {
  const at = (pointer: readonly string[]): Place => ({ file: path, ...file.at(pointer) });
  const own = Object.keys(settings).map((name) => [name, at([name])]);
  const secrets = Object.keys(settings.secrets).map((name) => [name, at(["secrets", name])]);
  return { settings, places: Object.fromEntries([...own, ...secrets]) };
}
