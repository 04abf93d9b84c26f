import { formatEtag, matchesEtag } from "./etag.ts";
import { problem } from "./problem.ts";

/**
 * The `If-Match` condition of a request, checked against the version that a change would replace.
 */
export class Precondition {
  readonly #header: string | undefined;

  constructor(header: string | undefined) {
    this.#header = header;
  }

  /** False without the header and for `*`, which requires only that the resource exists. */
  get namesVersion(): boolean {
    return this.#header !== undefined && this.#header.trim() !== "*";
  }

  /**
   * Throws 412 if the condition is false; `version` is undefined for a resource that does not
   * exist.
   */
  require(version: number | string | undefined): void {
    const etag = version === undefined ? undefined : formatEtag(version);
    if (matchesEtag(this.#header, etag)) return;
    throw problem("preconditionFailed", "The resource has changed since the version in If-Match.");
  }
}
