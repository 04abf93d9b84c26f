export type UnreadableReason =
  | "empty"
  | "not-text"
  | "bad-header"
  | "unknown-columns"
  | "unclosed-quote"
  | "row-too-long"
  | "bad-json";

/**
 * A file that cannot be read as a whole, or not from some place on. The message is one or two
 * sentences for the people who made the file. Rows before that place may have been imported.
 */
export class UnreadableFile extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
