import { TypeGuards, type Value } from "liquidjs";

/** What a text translates with the filter `t`. */
export type Translated = {
  /** The literals before it, without escapes: `{{ 'Ready' | t }}`, `{{ data.state | default: 'Ready' | t }}`. */
  readonly literals: readonly string[];
  /** True if it translates anything else, too, such as what comes from data: that may be any text. */
  readonly isComputed: boolean;
};

export const NOTHING_TRANSLATED: Translated = { literals: [], isComputed: false };

const FILTER = "t";

/**
 * Read from the tokens of the library: the text that is translated follows from its rules for escapes and spaces,
 * which a pattern over the source would have to repeat.
 */
export function translatedBy(values: readonly Value[]): Translated {
  const literals: string[] = [];
  let isComputed = false;
  for (const { initial, filters } of values) {
    for (const [at, { name }] of filters.entries()) {
      if (name !== FILTER) continue;
      const before = filters[at - 1];
      const [token, ...others] = before === undefined ? initial.postfix : before.args.slice(-1);
      const isLiteral = TypeGuards.isQuotedToken(token) && others.length === 0;
      if (isLiteral) literals.push(token.content);
      if (!isLiteral || before !== undefined) isComputed = true;
    }
  }
  return { literals, isComputed };
}
