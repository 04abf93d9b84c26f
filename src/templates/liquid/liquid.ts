import { compileWithEngine } from "./engine.ts";
import { compilePlain } from "./plain.ts";
import type { Reference, TextProblem } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { NOTHING_TRANSLATED, type Translated } from "./translated.ts";

export type CompiledText = {
  readonly source: string;
  /** True if the text has no Liquid at all. */
  readonly isLiteral: boolean;
  readonly references: readonly Reference[];
  /** Every reference once, written as `data.firstName`. */
  readonly paths: readonly string[];
  /** True if the result depends on the language, even if the source has no translation. */
  readonly usesLocale: boolean;
  readonly translated: Translated;
  readonly problems: readonly TextProblem[];
  /**
   * Throws a `TextError` if the text cannot be rendered. Time and size of the result are limited.
   */
  render(scope: Scope): string;
};

/**
 * Texts are compiled once for each published version, and rendered for every pass. Never throws.
 */
export function compileText(source: string): CompiledText {
  const plain = compilePlain(source);
  if (plain === undefined) {
    const text = compileWithEngine(source);
    return { source, isLiteral: false, ...text, paths: pathsOf(text.references) };
  }
  const references = plain.paths;
  return {
    source,
    isLiteral: references.length === 0,
    references,
    paths: pathsOf(references),
    usesLocale: references.some(({ segments }) => segments[0] === "locale"),
    translated: NOTHING_TRANSLATED,
    problems: [],
    render: plain.render,
  };
}

function pathsOf(references: readonly Reference[]): string[] {
  return [...new Set(references.map(({ segments }) => segments.join(".")))];
}
