import type catalogue from "./catalogue.json";

/** Every code of a finding. The catalogue follows from the rules of the product by `npm run generate`. */
export type FindingCode = keyof typeof catalogue;

/** What a finding says in all cases, and what to do about it. */
export type FindingText = { readonly summary: string; readonly hint: string };

/**
 * The texts of all findings of some areas. A code without a text does not compile, and neither does a text
 * without a code.
 */
export type TextsOf<Area extends string> = Readonly<
  Record<Extract<FindingCode, `${Area}.${string}`>, FindingText>
>;
