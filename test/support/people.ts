import { hash, randomBytes } from "node:crypto";
import { systemCall } from "#kernel/call.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { lowerPasswordCost } from "#src/access/administrators/administrator.password.ts";
import { createFirstRunLink } from "#src/access/sign-in/sign-in-link.service.ts";
import { Browser, type Page } from "./browser.ts";
import type { ApiClient } from "./client.ts";

/** What the harness's `startApi` gives, as far as people need it. */
type Api = { readonly url: string; readonly runtime: Runtime };

/** A password of the usual cost takes half a second of a processor, and the suite makes a hundred. */
lowerPasswordCost(10);

export const PASSWORD = "correct horse battery staple";

export function openBrowser({ url, runtime }: Api): Browser {
  return new Browser({ url, baseUrl: runtime.baseUrl });
}

export async function firstRunLink({ runtime }: Api): Promise<string> {
  const link = await createFirstRunLink(systemCall(runtime, "test.first-run"));
  if (link === undefined) throw new Error("There is an administrator already.");
  return link;
}

/** The first Global Administrator, made the way a person makes it. */
export async function createFirstAdministrator(api: Api, email = "ada@example.com") {
  const browser = openBrowser(api);
  const page = await browser.open(await firstRunLink(api));
  const done = await browser.submit(
    page,
    { name: "Ada Lovelace", email, password: PASSWORD, repeat: PASSWORD },
    `${api.runtime.baseUrl}/console`,
  );
  return { browser, done, email };
}

type Invited = {
  readonly email: string;
  readonly name: string;
  readonly role: "global" | "tenant";
  readonly tenants?: readonly string[];
};

/** Somebody invited by the operator who has chosen a password: their browser is signed in. */
export async function joinByInvitation(
  api: Api & Pick<ApiClient, "post"> & { readonly operatorKey: string },
  body: Invited,
): Promise<{ id: string; browser: Browser }> {
  const made = await api.post("/api/administrators", { key: api.operatorKey, body });
  if (made.status !== 201) throw new Error(`Not invited: ${made.text}`);
  const browser = openBrowser(api);
  const page = await browser.open(made.body.invitation.url);
  const chosen = { password: PASSWORD, repeat: PASSWORD };
  await browser.submit(page, chosen, `${api.runtime.baseUrl}/console`);
  return { id: made.body.id, browser };
}

export type CodeRequest = { readonly url: string; readonly verifier: string };

/** As the console asks for it: code and PKCE. */
export function codeRequest({ runtime }: Api, more: Record<string, string> = {}): CodeRequest {
  const { baseUrl } = runtime;
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    client_id: "billfold-console",
    response_type: "code",
    redirect_uri: `${baseUrl}/console/callback`,
    scope: "openid email profile",
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
    state: "s1",
    ...more,
  });
  return { url: `${baseUrl}/authorize?${query}`, verifier };
}

/** As the specification writes it: the implicit flow with an audience. */
export function implicitUrl({ runtime }: Api, more: Record<string, string> = {}): string {
  const { baseUrl } = runtime;
  const query = new URLSearchParams({
    audience: `${baseUrl}/api/`,
    client_id: "billfold-docs",
    response_type: "token",
    redirect_uri: `${baseUrl}/docs/callback`,
    state: "s1",
    ...more,
  });
  return `${baseUrl}/authorize?${query}`;
}

/** An access token of somebody whose browser is signed in already. */
export async function accessToken(api: Api, browser: Browser, scope = ""): Promise<string> {
  const page = await browser.open(
    implicitUrl(api, scope === "" ? {} : { scope }),
    `${api.runtime.baseUrl}/docs/callback`,
  );
  const token = answerOf(page).get("access_token");
  if (token === null) throw new Error(`No token: ${page.url} ${page.text}`);
  return token;
}

export function answerOf(page: Page): URLSearchParams {
  const { hash: fragment, search } = new URL(page.url);
  return new URLSearchParams(fragment === "" ? search : fragment.slice(1));
}

export async function askToken(
  { url, runtime }: Api,
  fields: Record<string, string>,
): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${url}/token`, {
    method: "POST",
    body: new URLSearchParams({
      client_id: "billfold-console",
      redirect_uri: `${runtime.baseUrl}/console/callback`,
      ...fields,
    }),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}
