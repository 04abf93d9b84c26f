import { compileWithEngine } from "./engine.ts";
import { compilePlain } from "./plain.ts";
import type { Reference, TextProblem } from "./reading.ts";
import type { Scope } from "./scope.ts";

export type CompiledText = {
  readonly source: string;
  /** Has no Liquid at all. */
  readonly isLiteral: boolean;
  readonly references: readonly Reference[];
  /** The references, each once, as `data.firstName`. */
  readonly paths: readonly string[];
  /** Gives another text in another language, even where its source has no translation. */
  readonly usesLocale: boolean;
  readonly problems: readonly TextProblem[];
  /** Throws a TextError when there is no good answer. Never takes long, never gives much. */
  render(scope: Scope): string;
};

/** Read once per published version, rendered for every pass. Never throws. */
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
    problems: [],
    render: plain.render,
  };
}

function pathsOf(references: readonly Reference[]): string[] {
  return [...new Set(references.map(({ segments }) => segments.join(".")))];
}
