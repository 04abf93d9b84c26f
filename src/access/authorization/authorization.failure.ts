import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { pageHeaders } from "../sign-in/page.ts";
import { errorPage } from "../sign-in/sign-in.pages.ts";

/** At these paths programs read the answer. At all other paths of the server people see a page. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set([
  "/token",
  "/token/revocation",
  "/jwks",
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
]);

const OUR_FAULT =
  "Something failed on the server. Try again, and if it fails again tell those who run it.";

export type FailureAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * The answer to a failure of the server: the status of a `ProblemError`, such as 503 while the
 * database is unavailable, or else 500. Programs get JSON as in RFC 6749, people get a page.
 */
export function explainFailure(
  { baseUrl }: Runtime,
  path: string,
  failure: unknown,
): FailureAnswer {
  const isKnown = failure instanceof ProblemError;
  const status = isKnown ? failure.status : 500;
  const text = isKnown ? failure.message : OUR_FAULT;
  const headers = isKnown ? failure.headers : {};
  if (!FOR_PROGRAMS.has(path)) {
    const code = isKnown ? failure.code : "server_error";
    const body = errorPage(baseUrl, code, text);
    return { status, headers: { ...headers, ...pageHeaders(baseUrl) }, body };
  }
  const error = status < 500 || status === 503 ? "temporarily_unavailable" : "server_error";
  return {
    status,
    headers: {
      ...headers,
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    },
    body: JSON.stringify({ error, error_description: text }),
  };
}
