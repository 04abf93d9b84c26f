/** One mistake in a configuration, and what is to be found. */
export type Mistake = {
  readonly title: string;
  readonly file: string;
  /** Replaced in the file. */
  readonly from: string;
  readonly to: string;
  readonly code: string;
  /** Begins where the finding points, in the changed file; the file as a whole without one. */
  readonly at?: string;
  /** Takes away the only use of a text, which is then found as well. */
  readonly leavesUnused?: boolean;
};
