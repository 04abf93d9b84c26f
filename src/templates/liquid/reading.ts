/**
 * A variable that a text reads: `data.firstName` is `["data", "firstName"]`. A computed member is
 * `*`.
 */
export type Reference = {
  readonly segments: readonly string[];
  /** The position of the first character of the variable in the text. */
  readonly index: number;
};

export type TextProblem = {
  readonly code: "liquid-syntax" | "unknown-variable" | "unknown-tag" | "unknown-filter";
  readonly message: string;
  readonly hint: string;
  /** The position in the text at which the problem begins. */
  readonly index: number;
};
