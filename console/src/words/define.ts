/** The languages of the console. A list of words has all of them, or it does not compile. */
export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];

/** One text, or a function for texts with a number or a name in them. */
type Word = string | ((...values: never[]) => string);
type SameKind<English extends Word> = English extends (...values: infer Values) => string
  ? (...values: Values) => string
  : string;

export type WordsOf<English extends Record<string, Word>> = {
  readonly [Name in keyof English]: SameKind<English[Name]>;
};
export type WordList<English extends Record<string, Word>> = Readonly<
  Record<Language, WordsOf<English>>
>;

/** The words of one folder. They travel with its pages, so no list of all words exists. */
export function defineWords<English extends Record<string, Word>>(words: {
  readonly en: English;
  readonly fr: WordsOf<English>;
}): WordList<English> {
  return words as unknown as WordList<English>;
}

/** A single text in all languages, for what is known before its page is loaded. */
export type Text = Readonly<Record<Language, string>>;
