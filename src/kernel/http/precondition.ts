import { formatEtag, matchesEtag, matchesNone } from "./etag.ts";
import { problem } from "./problem.ts";

const CHANGED = "The resource has changed since the version in If-Match.";
const KNOWN = "The resource exists, and If-None-Match excludes the version that it has.";

/**
 * The conditions of a request, `If-Match` and `If-None-Match`, checked against the version that a
 * change would replace. A read has no `If-None-Match` here: it is answered with 304, not refused.
 */
export class Precondition {
  readonly #match: string | undefined;
  readonly #noneMatch: string | undefined;

  constructor(match: string | undefined, noneMatch: string | undefined) {
    this.#match = match;
    this.#noneMatch = noneMatch;
  }

  /** False without `If-Match` and for `*`, which requires only that the resource exists. */
  get namesVersion(): boolean {
    return this.#match !== undefined && this.#match.trim() !== "*";
  }

  /**
   * Throws 412 if a condition is false; `version` is undefined for a resource that does not
   * exist.
   */
  require(version: number | string | undefined): void {
    const etag = version === undefined ? undefined : formatEtag(version);
    if (!matchesEtag(this.#match, etag)) throw problem("preconditionFailed", CHANGED);
    if (!matchesNone(this.#noneMatch, etag)) throw problem("preconditionFailed", KNOWN);
  }
}
