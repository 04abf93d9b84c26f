export type TextFailure = "too-slow" | "too-large" | "render-failed";

/**
 * Thrown if one text cannot be rendered. Callers report it for that text and go on with the others.
 */
export class TextError extends Error {
  readonly failure: TextFailure;

  constructor(failure: TextFailure, message: string) {
    super(message);
    this.name = "TextError";
    this.failure = failure;
  }
}
