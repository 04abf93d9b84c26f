import { canonicalLocale } from "#kernel/intl.ts";
import { checkYaml, type FileSet, type Finding, hasError, readYaml } from "#src/files/public.ts";
import type { SettingsFacts } from "#src/tenants/public.ts";
import { createLocales, type Locales, readTable, type TextTable } from "./locale.translations.ts";
import { type Store, Stores } from "./schema/store.ts";
import { compileTemplate, type Layouts, type SourceFile } from "./template.compile.ts";
import type { CompiledTemplate } from "./template.compiled.ts";
import { localeFinding, templateFinding } from "./template.findings.ts";
import { AppleLayout, GoogleLayout, Template } from "./template.schema.ts";

/** All templates of one version of a tenant's files, ready to render. */
export type TemplateSet = {
  /** The key is the pass type. */
  readonly templates: ReadonlyMap<string, CompiledTemplate>;
  readonly locales: Locales;
  readonly stores: readonly Store[];
  readonly tenant: SettingsFacts;
};

export type TemplateReading = {
  /** Has no templates that could not be read. */
  readonly set: TemplateSet;
  readonly findings: readonly Finding[];
};

/**
 * Has the parsed files too, for rules that report places in them. Only checks use it; it is not
 * kept.
 */
export type SourceReading = TemplateReading & {
  readonly sources: ReadonlyMap<string, SourceFile>;
  /**
   * True if every file that can use texts and images was read without errors. Otherwise it is
   * unknown which of them are used, and a report of unused ones could be wrong.
   */
  readonly isWhole: boolean;
  /** There is a file of stores, but it could not be read. */
  readonly lacksStores: boolean;
};

export const TEMPLATE_PATH = /^server\/passes\/([^/]+)\.yml$/;
export const LAYOUT_PATH = /^layouts\/([^/]+)\.(apple|google)\.yml$/;
export const LOCALE_PATH = /^locales\/([^/]+)\.yml$/;
export const STORES_PATH = "server/stores.yml";
const PASS_TYPE = /^[A-Za-z0-9_-]{1,64}$/;

/** The file of the template of a pass type. */
export function templatePath(passType: string): string {
  return `server/passes/${passType}.yml`;
}

/** True for the files that templates are made from. */
export function isTemplateFile(path: string): boolean {
  return (
    path === STORES_PATH ||
    TEMPLATE_PATH.test(path) ||
    LAYOUT_PATH.test(path) ||
    LOCALE_PATH.test(path)
  );
}

/**
 * Calls `onFile` before it reads a file, so that a caller that must stop the work knows which file
 * was being read.
 */
export function readTemplates(
  files: FileSet,
  tenant: SettingsFacts,
  onFile: (path: string) => void = () => undefined,
): SourceReading {
  const reader = new FileReader(files, onFile);
  const locales = readLocales(reader, tenant.defaultLocale);
  const stores = readStores(reader);
  const templates = new Map<string, CompiledTemplate>();
  let isWhole = true;
  for (const [path, passType] of reader.paths(TEMPLATE_PATH)) {
    const source = readSource(reader, path, passType);
    const layouts = source === undefined ? {} : readLayouts(reader, passType);
    const compiled = source && compileTemplate({ passType, source, layouts, locales, stores });
    if (compiled === undefined || hasError(compiled.findings)) isWhole = false;
    if (compiled === undefined) continue;
    reader.findings.push(...compiled.findings);
    templates.set(passType, compiled.template);
  }
  reader.findings.push(...layoutsWithoutTemplate(reader));
  const lacksStores = reader.refused.includes(STORES_PATH);
  return {
    set: { templates, locales, stores, tenant },
    findings: reader.findings,
    sources: reader.sources,
    isWhole: isWhole && !lacksStores && !reader.refused.some((path) => LAYOUT_PATH.test(path)),
    lacksStores,
  };
}

class FileReader {
  readonly findings: Finding[] = [];
  readonly sources = new Map<string, SourceFile>();
  /** The paths of files that were requested but are not valid. */
  readonly refused: string[] = [];
  readonly #files: FileSet;
  readonly #onFile: (path: string) => void;

  constructor(files: FileSet, onFile: (path: string) => void) {
    this.#files = files;
    this.#onFile = onFile;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** The matching paths, each with the first group of the match. */
  paths(pattern: RegExp): [string, string][] {
    return [...this.#files.keys()].flatMap((path): [string, string][] => {
      const name = pattern.exec(path)?.[1];
      return name === undefined ? [] : [[path, name]];
    });
  }

  read(path: string): SourceFile | undefined {
    const bytes = this.#files.get(path);
    if (bytes === undefined) return undefined;
    this.#onFile(path);
    const { file, findings } = readYaml(path, bytes);
    this.findings.push(...findings);
    if (file === undefined) {
      this.refused.push(path);
      return undefined;
    }
    const source = { path, file };
    this.sources.set(path, source);
    return source;
  }

  /** Returns undefined and adds findings if the file does not fit the schema. */
  readAs(path: string, schema: Parameters<typeof checkYaml>[2]): SourceFile | undefined {
    const source = this.read(path);
    if (source === undefined) return undefined;
    const findings = checkYaml(path, source.file, schema);
    this.findings.push(...findings);
    if (!hasError(findings)) return source;
    this.refused.push(path);
    return undefined;
  }
}

function readSource(reader: FileReader, path: string, passType: string): SourceFile | undefined {
  if (!PASS_TYPE.test(passType)) {
    const message = `'${passType}' cannot be the name of a pass type`;
    reader.findings.push(templateFinding("pass-type-name", { file: path }, message));
    return undefined;
  }
  return reader.readAs(path, Template);
}

function readLocales(reader: FileReader, defaultLocale: string): Locales {
  const tables = new Map<string, TextTable>();
  for (const [path, name] of reader.paths(LOCALE_PATH)) {
    const language = canonicalLocale(name);
    if (language === undefined) {
      const at = { file: path };
      reader.findings.push(localeFinding("unknown-language", at, `'${name}' is not a language`));
      continue;
    }
    const source = reader.read(path);
    if (source === undefined) continue;
    const { table, refused } = readTable(source.file.value);
    for (const { key, pointer } of refused) {
      const at = { file: path, ...source.file.keyAt(pointer) };
      reader.findings.push(localeFinding("not-text", at, `'${key}' is not a text`));
    }
    tables.set(language, table);
  }
  return createLocales(defaultLocale, tables);
}

/** Reads only the file of stores. Returns no stores if the file is not valid. */
export function readStoresFile(content: Buffer): readonly Store[] {
  return readStores(new FileReader(new Map([[STORES_PATH, content]]), () => undefined));
}

function readStores(reader: FileReader): readonly Store[] {
  const source = reader.readAs(STORES_PATH, Stores);
  return source === undefined ? [] : (source.file.value as { stores: Store[] }).stores;
}

function readLayouts(reader: FileReader, passType: string): Layouts {
  const apple = reader.readAs(`layouts/${passType}.apple.yml`, AppleLayout);
  const google = reader.readAs(`layouts/${passType}.google.yml`, GoogleLayout);
  return { apple, google };
}

function layoutsWithoutTemplate(reader: FileReader): Finding[] {
  return reader
    .paths(LAYOUT_PATH)
    .filter(([, passType]) => !reader.has(templatePath(passType)))
    .map(([path, passType]) =>
      templateFinding(
        "layout-without-template",
        { file: path },
        `there is no template '${passType}' to lay this over`,
      ),
    );
}
