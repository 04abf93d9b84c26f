import { createHash } from "node:crypto";

const KEPT_MAX = 500;
const NAME_CHARS = 24;

/**
 * Tokens that are too long for a link, by the short name that stands in the link instead. They are
 * forgotten with the process; the objects in them are not.
 */
export class LongTokens {
  readonly #tokens = new Map<string, string>();

  keep(jwt: string): string {
    const name = createHash("sha256").update(jwt).digest("base64url").slice(0, NAME_CHARS);
    this.#tokens.delete(name);
    this.#tokens.set(name, jwt);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > KEPT_MAX && oldest !== undefined) this.#tokens.delete(oldest);
    return name;
  }

  /** The token of a name; everything else is a token itself. */
  read(inLink: string): string {
    return this.#tokens.get(inLink) ?? inLink;
  }
}
