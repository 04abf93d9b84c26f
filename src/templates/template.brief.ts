import { RenderBudget } from "./liquid/budget.ts";
import { TextError } from "./liquid/failure.ts";
import { type CompiledText, compileText } from "./liquid/liquid.ts";
import { createScope, type Scope } from "./liquid/scope.ts";
import type { RenderInput } from "./template.render-input.ts";

/**
 * Limits for texts that are rendered on the event loop, in the transaction that writes the pass,
 * and for every pass of a bulk change. Such a text may take only a fraction of a millisecond.
 */
const BRIEF_LIMITS = { steps: 300, units: 20_000 };

/** A scope with the small limits that hold for brief texts. */
export function briefScope(input: RenderInput, locale: string): Scope {
  return createScope(input, locale, (text) => text, new RenderBudget(BRIEF_LIMITS));
}

/**
 * Makes a text on the event loop. The result is exactly that of the full rendering; it is undefined
 * where only the full rendering can tell: the text needs more steps, the privileges of the pass, or
 * translations.
 */
export type BriefText = (input: RenderInput) => string | undefined;

/** The text is compiled when it is first needed: most templates of a tenant are seldom used. */
export function briefText(source: string, locale: string): BriefText {
  let compiled: CompiledText | undefined;
  return (input) => {
    compiled ??= compileText(source);
    return isBrief(compiled) ? render(compiled, briefScope(input, locale)) : undefined;
  };
}

function isBrief({ usesLocale, references }: CompiledText): boolean {
  return !usesLocale && references.every(({ segments }) => segments[0] !== "privileges");
}

/** A text that fails is empty, as in the full rendering. */
function render(text: CompiledText, scope: Scope): string | undefined {
  try {
    return text.render(scope);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return error.failure === "render-failed" ? "" : undefined;
  }
}
