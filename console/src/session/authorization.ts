import { settings } from "../settings.ts";
import { challengeOf, randomText } from "./pkce.ts";

/*
 * Code and PKCE (RFC 7636) against the authorization server. The verifier of a request waits in
 * memory or, while the page itself is away at the sign-in, in the storage of this tab; it is worth
 * nothing once its code is used. Tokens are never stored.
 */

const TIMEOUT_MS = 20_000;
const KEPT_AS = "billfold-sign-in";
const AGAIN = "again.";

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  readonly expiresAt: number;
};

export type Request = {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
};

/** The server refused, in its own words. */
export class SignInRefused extends Error {
  readonly code: string;

  constructor(code: string, description: string | null | undefined) {
    super(description || code);
    this.code = code;
  }
}

function signInSettings() {
  if (settings.signIn === undefined) throw new SignInRefused("no_client", undefined);
  return settings.signIn;
}

export async function makeRequest(
  kind: "page" | "again" | "silent",
  more: Readonly<Record<string, string>> = {},
): Promise<Request> {
  const { clientId, authorizationUrl, redirectUri, scope } = signInSettings();
  const verifier = randomText();
  const state = `${kind === "again" ? AGAIN : ""}${randomText()}`;
  const url = new URL(authorizationUrl);
  const parameters = {
    client_id: clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: "S256",
    state,
    ...(scope === "" ? {} : { scope }),
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/** Leaves this page for the sign-in, and comes back to where it was. */
export async function leaveForSignIn(): Promise<never> {
  const { url, state, verifier } = await makeRequest("page");
  const { pathname, search, hash } = location;
  const back = pathname.endsWith("/callback") ? "" : pathname + search + hash;
  sessionStorage.setItem(KEPT_AS, JSON.stringify({ state, verifier, back }));
  // Not a step of its own: whoever went back to this page would be sent to the sign-in again.
  location.replace(url);
  return await new Promise<never>(() => undefined);
}

/** The tokens of a sign-in that brought the person back here, and the address where they were. */
export async function finishSignIn(): Promise<{ tokens: Tokens; back: string }> {
  const kept = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? "{}") as Partial<
    Request & { back: string }
  >;
  sessionStorage.removeItem(KEPT_AS);
  const code = readCode(new URLSearchParams(location.search), kept.state);
  return { tokens: await exchange(code, kept.verifier ?? ""), back: kept.back ?? "" };
}

export function readCode(answer: URLSearchParams, state: string | undefined): string {
  const error = answer.get("error");
  if (error !== null) throw new SignInRefused(error, answer.get("error_description"));
  const code = answer.get("code");
  if (code === null || state === undefined || answer.get("state") !== state) {
    throw new SignInRefused("stale", undefined);
  }
  return code;
}

/** True in the window of a sign-in that another page waits for. */
export const isAnswerForOther = (): boolean =>
  location.pathname.endsWith("/callback") &&
  (new URLSearchParams(location.search).get("state")?.startsWith(AGAIN) ?? false);

/**
 * Asks the built-in server by its session cookie, without a window: it redirects to our own
 * address, in which the code stands. Undefined if nobody is signed in.
 */
export async function signInSilently(): Promise<Tokens | undefined> {
  if (!signInSettings().isBuiltIn) return undefined;
  const { url, state, verifier } = await makeRequest("silent", { prompt: "none" });
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  try {
    const code = readCode(new URL(response.url).searchParams, state);
    return await exchange(code, verifier);
  } catch (error) {
    if (error instanceof SignInRefused) return undefined;
    throw error;
  }
}

export function exchange(code: string, verifier: string): Promise<Tokens> {
  const { redirectUri } = signInSettings();
  return askTokens({
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
}

export function refresh(refreshToken: string): Promise<Tokens> {
  return askTokens({ grant_type: "refresh_token", refresh_token: refreshToken });
}

async function askTokens(fields: Readonly<Record<string, string>>): Promise<Tokens> {
  const { clientId, tokenUrl } = signInSettings();
  const response = await fetch(tokenUrl, {
    method: "POST",
    body: new URLSearchParams({ client_id: clientId, ...fields }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const told = (await response.json()) as Record<string, unknown>;
  if (!response.ok || typeof told.access_token !== "string") {
    throw new SignInRefused(
      String(told.error ?? response.status),
      told.error_description as string,
    );
  }
  const lifetimeSeconds = typeof told.expires_in === "number" ? told.expires_in : 300;
  return {
    accessToken: told.access_token,
    refreshToken: textOf(told.refresh_token),
    idToken: textOf(told.id_token),
    expiresAt: Date.now() + lifetimeSeconds * 1_000,
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
