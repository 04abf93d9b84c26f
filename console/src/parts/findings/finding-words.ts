import type { Language } from "../../words/define.ts";

/** What the API tells of a finding of a file or a problem of a credential, always in English. */
export type ToldFinding = {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
};

/** The words that people see of a finding. */
export type FindingWords = {
  readonly summary: string;
  readonly hint: string;
  /** The language of both. */
  readonly language: Language;
  /** The API's own words, in English, where they tell more: names and numbers, say. */
  readonly exact: string | undefined;
};
