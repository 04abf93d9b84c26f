import { ApiProblem } from "../api/problem.ts";
import { settings } from "../settings.ts";
import type { Tokens } from "./authorization.ts";
import { claimsOf } from "./pkce.ts";

const TIMEOUT_MS = 15_000;

/** A tenant that somebody may enter. */
export type TenantChoice = { readonly tenantId: string; readonly name: string };

/** Who is signed in, as far as the console shows it. The API decides what they may do. */
export type Person = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isGlobal: boolean;
  /** The tenants of a Tenant Administrator. */
  readonly tenants: readonly TenantChoice[];
  /** In the bearer form, such as `tenant.pass:read`. */
  readonly scopes: ReadonlySet<string>;
};

/** What `GET /api/me` says. */
type Me = Omit<Person, "email" | "isGlobal" | "scopes"> & {
  readonly email: string | null;
  readonly allTenants: boolean;
  readonly scopes: readonly string[];
};

export async function readPerson({ accessToken, idToken }: Tokens): Promise<Person> {
  const me = await askWho(accessToken);
  // The API has no account of people whom another issuer signs in: their token tells their names.
  const claims = { ...claimsOf(accessToken), ...(idToken === undefined ? {} : claimsOf(idToken)) };
  const text = (name: string) => (typeof claims[name] === "string" ? claims[name] : "");
  const email = me.email ?? text("email");
  return {
    id: me.id,
    name: me.email === null ? text("name") || email || me.name : me.name,
    email,
    isGlobal: me.allTenants,
    tenants: me.tenants,
    scopes: new Set(me.scopes),
  };
}

/** As things are now: a token may be an hour old. */
async function askWho(accessToken: string): Promise<Me> {
  const response = await fetch(`${settings.baseUrl}/api/me`, {
    headers: { authorization: `Bearer ${accessToken}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.ok) return (await response.json()) as Me;
  // A failure of the server has no body, and a proxy on the way may send a page.
  throw new ApiProblem(response, await response.json().catch(() => undefined));
}
