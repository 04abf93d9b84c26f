import type { CompiledTemplate } from "./template.compiled.ts";

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
    for (const { translated } of [text, ...translations.values()]) {
      if (translated.isComputed) return undefined;
      for (const literal of translated.literals) found.add(literal);
    }
  }
  return found;
}
