import type { TokenSource } from "#kernel/http/openapi/security.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { ConsoleClient } from "#src/access/public.ts";

/** What the page needs to know before it can call the API. Anyone may read it. */
export type ConsoleSettings = {
  readonly baseUrl: string;
  readonly environment: string;
  /** Undefined if another issuer signs people in and no client of this console is known there. */
  readonly signIn: SignIn | undefined;
};

export type SignIn = {
  readonly clientId: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly redirectUri: string;
  /** Empty: all that the role of the person gives. */
  readonly scope: string;
  /** True for the built-in server, which answers on the address of this page. */
  readonly isBuiltIn: boolean;
  readonly signOutUrl?: string;
};

export function settingsOf(
  runtime: Runtime,
  client: ConsoleClient | undefined,
  source: TokenSource | undefined,
): ConsoleSettings {
  const { baseUrl, environment } = runtime;
  return { baseUrl, environment, signIn: signInOf(baseUrl, client, source) };
}

function signInOf(
  baseUrl: string,
  client: ConsoleClient | undefined,
  source: TokenSource | undefined,
): SignIn | undefined {
  if (client === undefined) return undefined;
  if (client.isBuiltIn) {
    const authorizationUrl = `${baseUrl}/authorize?audience=${encodeURIComponent(`${baseUrl}/api/`)}`;
    return { ...client, authorizationUrl, tokenUrl: `${baseUrl}/token` };
  }
  if (source === undefined || "openIdConnectUrl" in source) return undefined;
  return source.authorizationCode === undefined
    ? undefined
    : { ...client, ...source.authorizationCode };
}
