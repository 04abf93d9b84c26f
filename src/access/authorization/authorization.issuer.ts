import { setTimeout as sleep } from "node:timers/promises";
import type { TokenSource } from "#kernel/http/openapi/security.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type ForeignIssuer, foreignIssuer } from "../bearer/bearer.keys.ts";
import { apiAudience } from "./authorization.provider.ts";

/** Whoever reads the description of the API does not wait longer for somebody else's server. */
const WAIT_MS = 2_000;

/**
 * Where people get their bearer tokens, as another issuer says of itself. While the issuer cannot be
 * asked, and where it names no address to sign in at, its discovery document has to do.
 */
export function createTokenSourceFinder(runtime: Runtime, issuer: string) {
  const findIssuer = foreignIssuer(issuer, runtime);
  const unknown: TokenSource = {
    openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
  };
  return async (): Promise<TokenSource> => {
    // What fails is logged and tried again where it is done.
    const found = findIssuer().catch(() => undefined);
    const inTime = await Promise.race([found, sleep(WAIT_MS, undefined, { ref: false })]);
    return inTime === undefined
      ? unknown
      : (sourceOf(inTime, apiAudience(runtime.baseUrl)) ?? unknown);
  };
}

function sourceOf(
  { authorizationEndpoint, tokenEndpoint, responseTypes }: ForeignIssuer,
  audience: string,
): TokenSource | undefined {
  if (authorizationEndpoint === undefined) return undefined;
  const separator = authorizationEndpoint.includes("?") ? "&" : "?";
  const authorizationUrl = `${authorizationEndpoint}${separator}audience=${audience}`;
  const offers = (type: string) => responseTypes === undefined || responseTypes.includes(type);
  const source: TokenSource = {
    ...(offers("token") || offers("id_token token") ? { implicit: { authorizationUrl } } : {}),
    ...(offers("code") && tokenEndpoint !== undefined
      ? { authorizationCode: { authorizationUrl, tokenUrl: tokenEndpoint } }
      : {}),
  };
  return Object.keys(source).length === 0 ? undefined : source;
}
