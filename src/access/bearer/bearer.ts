import type { Actor } from "#kernel/actor.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { problem } from "#kernel/http/problem.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import { createAdministratorCache } from "../administrators/administrator.cache.ts";
import type { Administrator } from "../administrators/administrator.schema.ts";
import { createGrantCheck } from "../authorization/authorization.cache.ts";
import { createClientCheck } from "../authorization/authorization.clients.ts";
import { apiAudience } from "../authorization/authorization.provider.ts";
import { actorOf, mayEnter, type Person } from "./bearer.actor.ts";
import { foreignIssuer, IssuerUnavailable, localKeys } from "./bearer.keys.ts";
import { type CheckedToken, checkToken, TokenRefused } from "./bearer.token.ts";

/** Throws 401 for a bad token, 403 for a forbidden tenant, 503 if the issuer is unavailable. */
export type BearerVerifier = (token: string, tenantId: string | undefined) => Promise<Actor>;

export type BearerOptions = {
  readonly runtime: Runtime;
  /** The value of `AUTH_ISSUER`, or the public address for the built-in authorization server. */
  readonly issuer: string;
  readonly builtIn: boolean;
  /** Claims of other issuers with roles and tenants; the first claim in a token counts. */
  readonly rolesClaims?: readonly string[];
  readonly tenantsClaims?: readonly string[];
};

export const GLOBAL_ROLE = "global-administrator";
export const TENANT_ROLE = "tenant-administrator";

/** Answers 503, not 401: the token may be valid. */
function issuerUnavailable(): ProblemError {
  const headers = { "retry-after": "5" };
  return problem("unavailable", "The issuer of the tokens cannot be asked at the moment.", {
    headers,
  });
}

export function createBearerVerifier(options: BearerOptions): BearerVerifier {
  const identify = options.builtIn
    ? createPersonFinder(options.runtime)
    : createForeignPersonFinder(options);

  const tenants = tenantCacheOf(options.runtime);

  /** Whether the issuer meant a tenant that had the id before and has ended since. */
  async function isFormer({ tenantsNamedAt }: Person, tenantId: string): Promise<boolean> {
    if (tenantsNamedAt === undefined) return false;
    const endedAt = (await tenants.find(tenantId))?.formerEndedAt ?? undefined;
    return endedAt !== undefined && tenantsNamedAt * 1_000 <= endedAt.getTime();
  }

  async function withoutFormer(person: Person): Promise<Person> {
    const current = new Set<string>();
    for (const id of person.tenants) if (!(await isFormer(person, id))) current.add(id);
    return { ...person, tenants: current };
  }

  return async (token, tenantId) => {
    const person = await identify(token).catch((error: unknown) => {
      if (error instanceof IssuerUnavailable) throw issuerUnavailable().because(error.message);
      if (!(error instanceof TokenRefused)) throw error;
      throw tokenRefused().because(error.message);
    });
    if (person.isGlobal) return actorOf(person);
    if (tenantId === undefined) return actorOf(await withoutFormer(person));
    if (!mayEnter(person, tenantId) || (await isFormer(person, tenantId))) throw tenantForbidden();
    return actorOf(person);
  };
}

/** Finds the current account of a token of the built-in issuer. */
export function createAccountFinder(
  runtime: Runtime,
): (token: string) => Promise<{ administrator: Administrator; claims: CheckedToken }> {
  const accounts = createAdministratorCache(runtime);
  const isKnownClient = createClientCheck(runtime);
  const isGrantGood = createGrantCheck(runtime);
  const rules = {
    issuer: runtime.baseUrl,
    audience: apiAudience(runtime.baseUrl),
    builtIn: true,
    keys: localKeys(runtime),
    clock: runtime.clock,
  };
  return async (token) => {
    const claims = await checkToken(token, rules);
    const [isKnown, isGood, administrator] = await Promise.all([
      isKnownClient(claims.client_id),
      isGrantGood(claims),
      accounts.find(claims.sub),
    ]);
    if (!isKnown) throw new TokenRefused("the client is gone");
    if (!isGood) throw new TokenRefused("the grant it was made from has ended");
    if (administrator === undefined) throw new TokenRefused("the account is gone");
    // `iat` is in whole seconds: a token from the second of the change counts as newer.
    const validFrom = Math.floor(administrator.tokensValidFrom.getTime() / 1000);
    if (claims.iat < validFrom) throw new TokenRefused("older than the password");
    return { administrator, claims };
  };
}

type PersonFinder = (token: string) => Promise<Person>;

/** Role and tenants come from the account, so that a change affects tokens already issued. */
function createPersonFinder(runtime: Runtime): PersonFinder {
  const findAccount = createAccountFinder(runtime);
  return async (token) => {
    const { administrator, claims } = await findAccount(token);
    return {
      id: administrator.email,
      credentialId: `administrator:${administrator.id}`,
      isGlobal: administrator.role === "global",
      isTenantAdministrator: administrator.role === "tenant",
      tenants: new Set(administrator.tenants),
      scopes: scopesOf(claims),
    };
  };
}

function createForeignPersonFinder(options: BearerOptions): PersonFinder {
  const { runtime, issuer } = options;
  const { baseUrl, clock } = runtime;
  const rolesClaims = options.rolesClaims ?? ["roles", `${baseUrl}/roles`];
  const tenantsClaims = options.tenantsClaims ?? ["tenants", `${baseUrl}/tenants`];
  const findIssuer = foreignIssuer(issuer, runtime);

  return async (token) => {
    const found = await findIssuer();
    const rules = { ...found, audience: apiAudience(baseUrl), builtIn: false, clock };
    const claims = await checkToken(token, rules);
    const roles = textsOf(claims, rolesClaims);
    return {
      id: claims.sub,
      credentialId: `person:${found.issuer} ${claims.sub}`,
      isGlobal: roles.includes(GLOBAL_ROLE),
      isTenantAdministrator: roles.includes(TENANT_ROLE),
      tenants: new Set(textsOf(claims, tenantsClaims)),
      tenantsNamedAt: claims.iat,
      scopes: scopesOf(claims),
    };
  };
}

/**
 * Some issuers put scopes into `permissions`, and nothing of this API into `scope`. A token with
 * scopes in neither claim has no right, whatever the role of its owner.
 */
function scopesOf({ scope, permissions }: CheckedToken): readonly string[] {
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  if (asked.some((word) => /^(tenant\.|platform:)/.test(word))) return asked;
  if (Array.isArray(permissions)) return permissions.filter((item) => typeof item === "string");
  return [];
}

function textsOf(claims: CheckedToken, names: readonly string[]): readonly string[] {
  const name = names.find((candidate) => candidate in claims);
  const value = name === undefined ? undefined : claims[name];
  if (typeof value === "string") return value.split(" ");
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The answer is the same for every reason, so that a caller who guesses learns nothing. */
export function tokenRefused() {
  return problem("unauthenticated", "The bearer token is missing, expired or not valid here.", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  });
}

/** The answer does not depend on whether the tenant exists. */
function tenantForbidden() {
  return problem("forbidden", "Your account has no rights in this tenant.");
}
