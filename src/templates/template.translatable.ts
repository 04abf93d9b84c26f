import type { CompiledTemplate } from "./template.compiled.ts";

/** The filter `t`, wherever it stands. */
const FILTER = /\|\s*t\b/g;
/** `{{ 'Ready' | t }}`: what is translated stands there, whatever follows. */
const OF_LITERAL = /\{\{-?\s*(?:'([^']*)'|"([^"]*)")\s*\|\s*t\b/g;

/**
 * The texts of a template that `locales/*.yml` may translate. Undefined if it translates what comes from data, such
 * as `{{ data.tier | t }}`: then it may be any text.
 */
export function translatableTexts({
  values,
}: Pick<CompiledTemplate, "values">): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const { text, translations } of values) {
    found.add(text.source);
    for (const { source, isLiteral } of [text, ...translations.values()]) {
      if (isLiteral) continue;
      const literals = [...source.matchAll(OF_LITERAL)];
      if (literals.length !== [...source.matchAll(FILTER)].length) return undefined;
      for (const [, single, double] of literals) found.add(single ?? double ?? "");
    }
  }
  return found;
}
