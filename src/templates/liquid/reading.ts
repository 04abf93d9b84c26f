/** A variable a text reads: `data.firstName` is `["data", "firstName"]`; a computed member is `*`. */
export type Reference = {
  readonly segments: readonly string[];
  /** Of its first character in the text. */
  readonly index: number;
};

export type TextProblem = {
  readonly code: "liquid-syntax" | "unknown-variable" | "unknown-tag" | "unknown-filter";
  readonly message: string;
  readonly hint: string;
  /** Of its first character in the text. */
  readonly index: number;
};
