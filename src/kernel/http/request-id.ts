import { randomBase62 } from "../ids.ts";

const ACCEPTED = /^[\w.:-]{1,128}$/;
const RANDOM_CHARS = 22;

/** The caller's own request id if it is safe in logs and headers, else a new one. */
export function takeRequestId(header: string | readonly string[] | undefined): string {
  return typeof header === "string" && ACCEPTED.test(header) ? header : newRequestId();
}

/**
 * `req_` and 22 base62 characters: 131 random bits, so two ids are never equal, even across nodes.
 */
export function newRequestId(): string {
  return `req_${randomBase62(RANDOM_CHARS)}`;
}
