import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a form was sent from a page of this service. No cookie or other credential is used, so a
 * form of another website could do no more than a visitor can; but nobody shall be made to send it
 * unawares. Browsers say where a form comes from; other programs need not.
 */
export function isOwnForm(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  return origin === new URL(baseUrl).origin || new URL(origin).host === host;
}
