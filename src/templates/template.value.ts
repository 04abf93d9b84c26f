import type { Place, YamlFile } from "#src/files/public.ts";
import { TextError, type TextFailure } from "./liquid/failure.ts";
import { type CompiledText, compileText } from "./liquid/liquid.ts";
import { BUDGET, type Scope } from "./liquid/scope.ts";
import type { Locales } from "./locale.translations.ts";

export type Pointer = readonly (string | number)[];

/** What a value is used for. Some rules hold only for certain roles. */
export type ValueRole =
  | "organization"
  | "description"
  | "logoText"
  | "label"
  | "value"
  | "change"
  | "barcodeMessage"
  | "barcodeText"
  | "expiration"
  | "grouping"
  | "locationText"
  | "nfcMessage"
  | "detail"
  | "timeZone"
  | "enrolment"
  | "layout";

/** One text of a template, and its place. */
export type TemplateValue = {
  readonly file: string;
  readonly pointer: Pointer;
  readonly line: number;
  readonly column: number;
  /** The place in the file of the character at this index of the text. */
  within(index: number): Place;
  readonly role: ValueRole;
  readonly text: CompiledText;
  /** The key is the language. Has only languages with a translation of the whole text. */
  readonly translations: ReadonlyMap<string, CompiledText>;
};

/** A variable that a text reads, with its place in the file of the template. */
export type ValueReference = {
  readonly segments: readonly string[];
  readonly place: Place;
  /** Of the translation that reads it; undefined if the text itself does. */
  readonly language: string | undefined;
};

/**
 * What a text reads, and what its translations read that the text itself does not. Translations stand
 * in another file, so their place is that of the text.
 */
export function referencesOf(value: TemplateValue): ValueReference[] {
  const own = value.text.references.map(({ segments, index }) => ({
    segments,
    place: value.within(index),
    language: undefined,
  }));
  const known = new Set(own.map(({ segments }) => segments.join("\n")));
  const { file, line, column } = value;
  const place = { file, line, column };
  const translated = [...value.translations].flatMap(([language, { references }]) =>
    references
      .filter(({ segments }) => !known.has(segments.join("\n")))
      .map(({ segments }) => ({ segments, place, language })),
  );
  return [...own, ...translated];
}

export type ValueSource = {
  readonly file: string;
  readonly yaml: YamlFile;
  readonly locales: Locales;
};

export type RenderProblem = {
  readonly file: string;
  readonly pointer: Pointer;
  readonly line: number;
  readonly column: number;
  /**
   * A text that fails is empty. `no-barcode` and `no-organization` are texts that no wallet can show, and
   * the pass goes without them.
   */
  readonly failure: TextFailure | "no-barcode" | "no-organization";
  readonly message: string;
};

export type ProblemPlace = Pick<TemplateValue, "file" | "pointer" | "line" | "column">;

export function problemAt(
  { file, pointer, line, column }: ProblemPlace,
  failure: RenderProblem["failure"],
  message: string,
): RenderProblem {
  return { file, pointer, line, column, failure, message };
}

export function compileValue(
  source: string,
  pointer: Pointer,
  role: ValueRole,
  { file, yaml, locales }: ValueSource,
): TemplateValue {
  const { line, column } = yaml.at(pointer);
  const translations = new Map<string, CompiledText>();
  for (const language of locales.languages) {
    const translated = locales.find(language, source);
    if (translated !== undefined) translations.set(language, compileText(translated));
  }
  const within = (index: number) => ({ file, ...yaml.within(pointer, index) });
  return { file, pointer, line, column, within, role, text: compileText(source), translations };
}

/**
 * A text that cannot be rendered is empty and added to `problems`. Other texts are not affected.
 */
export function renderValue(
  value: TemplateValue,
  scope: Scope,
  language: string,
  problems: RenderProblem[],
): string {
  try {
    const text = (value.translations.get(language) ?? value.text).render(scope);
    scope[BUDGET].output(text.length);
    return text;
  } catch (error) {
    const failure = error instanceof TextError ? error.failure : "render-failed";
    const message = error instanceof TextError ? error.message : "cannot be rendered";
    problems.push(problemAt(value, failure, message));
    return "";
  }
}
