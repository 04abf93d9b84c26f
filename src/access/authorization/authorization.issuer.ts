import { setTimeout as sleep } from "node:timers/promises";
import type { TokenSource } from "#kernel/http/openapi/security.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type ForeignIssuer, foreignIssuer } from "../bearer/bearer.keys.ts";
import { apiAudience } from "./authorization.provider.ts";

/** Limits how long the OpenAPI document waits for the server of another issuer. */
const WAIT_MS = 2_000;

/**
 * Finds where another issuer gives out bearer tokens. If the issuer cannot be asked or names no
 * usable endpoint, the result is the address of its discovery document.
 */
export function createTokenSourceFinder(runtime: Runtime, issuer: string) {
  const findIssuer = foreignIssuer(issuer, runtime);
  const unknown: TokenSource = {
    openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
  };
  return async (): Promise<TokenSource> => {
    // `foreignIssuer` logs the failure and tries again later.
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
