import type { CompiledTemplate } from "./template.compiled.ts";
import type { Pointer, TemplateValue } from "./template.value.ts";

/** Where a text of a template, or of its layouts, comes from. Plain data, sent between threads. */
export type TextSource = {
  readonly file: string;
  readonly pointer: Pointer;
  readonly line: number;
  readonly column: number;
  /** The variables that it reads, such as `data.firstName`. */
  readonly reads: readonly string[];
  /** True if it depends on the language without a translation of the whole text. */
  readonly usesLocale: boolean;
  /** By language: the variables that the translation of the whole text reads. */
  readonly translations: Readonly<Record<string, readonly string[]>>;
};

export function textSources({ values }: CompiledTemplate): TextSource[] {
  return values.map(textSource);
}

function textSource({ text, translations, ...place }: TemplateValue): TextSource {
  const { file, pointer, line, column } = place;
  const translated = [...translations].map(([language, { paths }]) => [language, paths] as const);
  return {
    file,
    pointer,
    line,
    column,
    reads: text.paths,
    usesLocale: text.usesLocale,
    translations: Object.fromEntries(translated),
  };
}
