export type TextFailure = "too-slow" | "too-large" | "render-failed";

/** Why one text could not be made. Callers turn it into a problem of that text alone. */
export class TextError extends Error {
  readonly failure: TextFailure;

  constructor(failure: TextFailure, message: string) {
    super(message);
    this.name = "TextError";
    this.failure = failure;
  }
}
