/** The files `locales/<language>.yml`: translations by the original text, or by a dotted key. */

export type TextTable = ReadonlyMap<string, string>;

export type Locales = {
  /** This language needs no file, because the texts of the templates are written in it. */
  readonly defaultLocale: string;
  /** The default language first, then the languages that have a file, sorted by name. */
  readonly languages: readonly string[];
  readonly tables: ReadonlyMap<string, TextTable>;
  /**
   * The language of the tenant that fits a locale best, such as `de` for `de-AT`. `format` is the
   * locale for dates and numbers.
   */
  resolve(locale: string | undefined): { language: string; format: string };
  /** Returns undefined if neither this language nor the default language has the text. */
  find(language: string, text: string): string | undefined;
  /** True if the language, or a more general form of it, has the text. */
  translates(language: string, text: string): boolean;
};

export function createLocales(
  defaultLocale: string,
  tables: ReadonlyMap<string, TextTable>,
): Locales {
  const others = [...tables.keys()].filter((language) => language !== defaultLocale).sort();
  const languages = [defaultLocale, ...others];
  const known = new Map(languages.map((language) => [language.toLowerCase(), language]));
  const fallbacks = new Map(languages.map((language) => [language, chain(language, known)]));
  return {
    defaultLocale,
    languages,
    tables,
    resolve(locale) {
      if (locale === undefined) return { language: defaultLocale, format: defaultLocale };
      const language = firstKnown(locale, known);
      return language === undefined
        ? { language: defaultLocale, format: defaultLocale }
        : { language, format: locale };
    },
    find(language, text) {
      for (const candidate of fallbacks.get(language) ?? []) {
        const found = tables.get(candidate)?.get(text);
        if (found !== undefined) return found;
      }
      return tables.get(defaultLocale)?.get(text);
    },
    translates: (language, text) =>
      (fallbacks.get(language) ?? []).some((name) => tables.get(name)?.has(text) === true),
  };
}

/** `zh-Hant-TW`, then `zh-Hant`, then `zh`, without languages that the tenant does not have. */
function chain(locale: string, known: ReadonlyMap<string, string>): string[] {
  return ancestors(locale).flatMap((name) => known.get(name) ?? []);
}

function firstKnown(locale: string, known: ReadonlyMap<string, string>): string | undefined {
  for (const name of ancestors(locale)) {
    const language = known.get(name);
    if (language !== undefined) return language;
  }
  return undefined;
}

function ancestors(locale: string): string[] {
  const parts = locale.toLowerCase().replaceAll("_", "-").split("-");
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("-"));
}

export type TableEntry = { readonly key: string; readonly pointer: readonly string[] };
export type TableReading = {
  readonly table: TextTable;
  /** The place of each text of the table. */
  readonly entries: readonly TableEntry[];
  /** Members that are neither a text nor a map of texts. */
  readonly refused: readonly TableEntry[];
};

const DEPTH_MAX = 8;

/** Nested maps are read as dotted keys: `fields: {points: …}` is `fields.points`. */
export function readTable(value: unknown): TableReading {
  const table = new Map<string, string>();
  const entries: TableEntry[] = [];
  const refused: TableEntry[] = [];
  const visit = (node: unknown, pointer: readonly string[]): void => {
    const key = pointer.join(".");
    if (typeof node === "string") {
      table.set(key, node);
      entries.push({ key, pointer });
    } else if (isMap(node) && pointer.length < DEPTH_MAX) {
      for (const [name, child] of Object.entries(node)) visit(child, [...pointer, name]);
    } else refused.push({ key, pointer });
  };
  visit(value ?? {}, []);
  return { table, entries, refused };
}

/** The texts whose translation differs between two contents of a file of a language. */
export function changedTexts(before: unknown, after: unknown): string[] {
  const [old, now] = [readTable(before).table, readTable(after).table];
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].filter((key) => old.get(key) !== now.get(key));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
