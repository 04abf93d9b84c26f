import type { AnswerProblem } from "../form.answers.ts";

/** The usual questions, by the member that keeps the answer. */
export type UsualField =
  | "firstName"
  | "lastName"
  | "name"
  | "email"
  | "phone"
  | "birthday"
  | "street"
  | "postalCode"
  | "city"
  | "country";

/** What the form says by itself. All other texts come from the settings and the template. */
export type FormWords = {
  readonly fields: Readonly<Record<UsualField, string>>;
  readonly phoneHint: string;
  readonly optional: string;
  readonly choose: string;
  readonly submit: string;
  /** For the link to the whole text of a consent, which opens beside the form. */
  readonly readMore: string;
  readonly language: string;
  /** `{label}` stands for the name of the field, `{max}`, `{min}` for its limits. */
  readonly problems: Readonly<Record<AnswerProblem, string>>;
  readonly errorPrefix: string;
  readonly summary: string;
  readonly botMissing: string;
  readonly botRefused: string;
  readonly botUnavailable: string;
  readonly needsScript: string;
  /** `{vendor}` stands for who checks. */
  readonly checkedBy: string;
  readonly foreign: string;
  readonly trouble: string;
  readonly knownTitle: string;
  readonly knownText: string;
  readonly back: string;
  readonly missingTitle: string;
  readonly missingText: string;
  readonly privacy: string;
};
