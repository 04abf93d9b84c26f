import type { EventEmitter } from "node:events";
import type {
  Account,
  Configuration,
  Grant,
  JWKS,
  KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import { ProblemError } from "#kernel/errors.ts";
import { Html } from "#kernel/http/html.ts";
import { shortName } from "#kernel/http/validation.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findAdministrator } from "../administrators/administrator.repository.ts";
import type { Administrator } from "../administrators/administrator.schema.ts";
import { pageHeaders } from "../sign-in/page.ts";
import { errorPage, signedOutPage, signOutPage } from "../sign-in/sign-in.pages.ts";
import { createAdapter } from "./authorization.adapter.ts";
import { grantClaim } from "./authorization.cache.ts";
import { builtInClients, createClientAdapter } from "./authorization.clients.ts";
import { explainFailure } from "./authorization.failure.ts";
import { loadCookieKeys, loadSigningKeys, SIGNING_ALGORITHM } from "./authorization.keys.ts";
import {
  API_SCOPES,
  grantTo,
  OPENID_SCOPES,
  unknownScopes,
  wordsOf,
} from "./authorization.scopes.ts";

type Library = typeof import("oidc-provider");

const MINUTE = 60;
const HOUR = 60 * MINUTE;
export const SESSION_SECONDS = 12 * HOUR;
const TOKEN_SECONDS = HOUR;
const NOT_OF_ROLE = "the role of this account gives none of these scopes";
const LOGOUT_FORM_ID = "op.logoutForm";

export function apiAudience(baseUrl: string): string {
  return `${baseUrl}/api/`;
}

/** Called at first use, because loading the library takes longer than the rest of the start. */
export async function createProvider(runtime: Runtime): Promise<Provider> {
  const [library, signingKeys, cookieKeys] = await Promise.all([
    import("oidc-provider"),
    loadSigningKeys(runtime),
    loadCookieKeys(runtime),
  ]);
  const provider = new library.Provider(runtime.baseUrl, {
    ...protocol(),
    ...storage(runtime, library, signingKeys as JWKS["keys"], cookieKeys),
    ...people(runtime, library),
    features: features(runtime, library),
    renderError: (context, out) =>
      show(runtime, context, errorPage(runtime.baseUrl, out.error, out.error_description)),
  });
  // The library may trust forwarded headers, because `prepareRequest` sets them.
  provider.proxy = true;
  explainFailures(provider, runtime);
  provider.use(completeDiscovery);
  provider.use(allowFormToClient);
  allowLoopback(provider);
  (provider as EventEmitter).on("error", (err) => {
    runtime.log.error({ err }, "the authorization server could not answer");
  });
  return provider;
}

function protocol(): Configuration {
  return {
    responseTypes: ["code", "id_token token"],
    scopes: [...OPENID_SCOPES],
    claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    clientAuthMethods: ["none"],
    pkce: { required: () => true },
    routes: {
      authorization: "/authorize",
      token: "/token",
      jwks: "/jwks",
      userinfo: "/userinfo",
      revocation: "/token/revocation",
      end_session: "/sign-out",
    },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: MINUTE,
      Grant: SESSION_SECONDS,
      IdToken: HOUR,
      Interaction: HOUR,
      RefreshToken: SESSION_SECONDS,
      Session: SESSION_SECONDS,
    },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    // A client that runs in a browser requests its tokens from the origin of its redirect address.
    clientBasedCORS: (_context, origin, client) =>
      (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
  };
}

function features(runtime: Runtime, library: Library): NonNullable<Configuration["features"]> {
  const { baseUrl } = runtime;
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
    },
    userinfo: { enabled: true },
    resourceIndicators: apiAsResource(baseUrl, library),
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (context, form) =>
        show(runtime, context, signOutPage(baseUrl, new Html(form), LOGOUT_FORM_ID)),
      postLogoutSuccessSource: (context) => show(runtime, context, signedOutPage(baseUrl)),
    },
  };
}

/** Returns the message for the caller, and the unknown scopes. */
function noSuchScope(unknown: readonly string[]): [string, string] {
  return [`there is no scope ${unknown.map(shortName).join(", ")}`, unknown.join(" ")];
}

type ResourceIndicators = NonNullable<Configuration["features"]>["resourceIndicators"];

/** Access tokens are JWTs of RFC 9068 for the API, even if the client named no audience. */
function apiAsResource(baseUrl: string, { errors }: Library): ResourceIndicators {
  const audience = apiAudience(baseUrl);
  return {
    enabled: true,
    defaultResource: async (_context, _client, oneOf) => oneOf ?? audience,
    useGrantedResource: async () => true,
    getResourceServerInfo: async ({ oidc }, indicator) => {
      if (indicator !== audience) throw new errors.InvalidTarget("The API is the only audience.");
      // The library ignores unknown scopes. The token would then have fewer rights than its owner
      // expects.
      const unknown = unknownScopes(wordsOf(oidc.params?.scope as string | undefined));
      if (unknown.length > 0) throw new errors.InvalidScope(...noSuchScope(unknown));
      return {
        audience,
        scope: API_SCOPES.join(" "),
        accessTokenFormat: "jwt",
        accessTokenTTL: HOUR,
        jwt: { sign: { alg: SIGNING_ALGORITHM } },
      };
    },
  };
}

function storage(
  runtime: Runtime,
  library: Library,
  signingKeys: JWKS["keys"],
  cookieKeys: string[],
): Configuration {
  const options = {
    httpOnly: true,
    sameSite: "lax",
    path: publicPath(runtime.baseUrl) || "/",
  } as const;
  return {
    adapter: (model) =>
      model === "Client"
        ? createClientAdapter(runtime)
        : createAdapter(runtime, model, library.errors.InvalidGrant, TOKEN_SECONDS),
    jwks: { keys: signingKeys },
    clients: builtInClients(runtime),
    cookies: {
      keys: cookieKeys,
      names: {
        session: "billfold_session",
        interaction: "billfold_interaction",
        resume: "billfold_resume",
      },
      long: options,
      short: { httpOnly: true, sameSite: "lax" },
    },
  };
}

/** The path of the public address; empty if the product is at the root of its host. */
export function publicPath(baseUrl: string): string {
  const { pathname } = new URL(baseUrl);
  return pathname === "/" ? "" : pathname;
}

function people(runtime: Runtime, library: Library): Configuration {
  const policy = library.interactionPolicy.base();
  // The account may have been disabled or deleted after the session began.
  policy
    .get("login")
    ?.checks.add(
      new library.interactionPolicy.Check(
        "account_gone",
        "the account cannot sign in any more",
        (context) => context.oidc.session?.accountId !== undefined && !context.oidc.account,
      ),
    );
  return {
    interactions: {
      policy,
      url: (_context, interaction) =>
        `${publicPath(runtime.baseUrl)}/interaction/${interaction.uid}`,
    },
    async findAccount(_context, id) {
      const administrator = await findAdministrator(runtime, id);
      return administrator?.disabled === false ? toAccount(administrator) : undefined;
    },
    async extraTokenClaims(_context, token) {
      if (!("accountId" in token)) return undefined;
      const administrator = await findAdministrator(runtime, token.accountId);
      if (administrator === undefined) return undefined;
      return { ...roleClaims(administrator), ...grantClaim(token.grantId) };
    },
    loadExistingGrant: (context) => grantWhatRoleGives(runtime, library, context),
  };
}

function toAccount({ id, email, name }: Administrator): Account {
  return { accountId: id, claims: () => ({ sub: id, email, name }) };
}

export function roleClaims({ role, tenants }: Administrator): {
  roles: string[];
  tenants: string[];
} {
  return {
    roles: [role === "global" ? "global-administrator" : "tenant-administrator"],
    tenants: [...tenants],
  };
}

/** Asks for no consent: clients are parts of the product or registered by the people who run it. */
async function grantWhatRoleGives(
  runtime: Runtime,
  { errors }: Library,
  { oidc }: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { account, client, params, provider, session } = oidc;
  if (account === undefined || client === undefined || params === undefined) return undefined;
  const administrator = await findAdministrator(runtime, account.accountId);
  if (administrator === undefined) return undefined;
  const { scopes, isEmptyHanded } = grantTo(administrator.role, [...oidc.requestParamScopes]);
  if (isEmptyHanded) throw new errors.InvalidScope(NOT_OF_ROLE, String(params.scope));
  params.scope = scopes.join(" ");

  const grantId = oidc.result?.consent?.grantId ?? session?.grantIdFor(client.clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant =
    known?.accountId === account.accountId
      ? known
      : new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(" "));
  for (const [indicator, server] of Object.entries(oidc.resourceServers ?? {})) {
    const asked = [...oidc.requestParamScopes].filter((scope) => server.scopes.has(scope));
    if (asked.length > 0) grant.addResourceScope(indicator, asked.join(" "));
  }
  await grant.save();
  return grant;
}

function show({ baseUrl }: Runtime, context: KoaContextWithOIDC, body: string): void {
  context.set(pageHeaders(baseUrl));
  context.body = body;
}

/**
 * Replaces the answer to failures of this server, for which the library answers 500 with its own
 * text. The library reports such a failure by an event, or lets the error pass.
 */
function explainFailures(provider: Provider, runtime: Runtime): void {
  const failures = new WeakMap<object, unknown>();
  provider.on("server_error", (context, failure) => {
    failures.set(context, failure);
  });
  provider.use(async (context, next) => {
    await next().catch((error: unknown) => {
      // Such an error is about the request, and its message is meant for the caller.
      if (error instanceof Error && "expose" in error && error.expose === true) throw error;
      failures.set(context, error);
    });
    const failure = failures.get(context);
    if (failure === undefined) return;
    if (!(failure instanceof ProblemError)) {
      runtime.log.error({ err: failure }, "the authorization server failed");
    }
    const { status, headers, body } = explainFailure(runtime, context.path, failure);
    context.remove("location");
    context.status = status;
    context.body = body;
    context.set(headers);
  });
}

/** Adds the response type that `toOpenIdRequest` converts, and the scopes of the API. */
async function completeDiscovery(context: KoaContextWithOIDC, next: () => Promise<void>) {
  await next();
  if (context.oidc?.route !== "discovery") return;
  const told = context.body as { response_types_supported: string[] };
  context.body = {
    ...told,
    response_types_supported: [...told.response_types_supported, "token"],
    scopes_supported: [...OPENID_SCOPES, ...API_SCOPES],
  };
}

/** With `form_post`, a form sends the answer to the client, so the policy must allow its origin. */
async function allowFormToClient(context: KoaContextWithOIDC, next: () => Promise<void>) {
  await next();
  const { oidc } = context;
  if (oidc?.params?.response_mode !== "form_post" || !oidc.redirectUriCheckPerformed) return;
  const policy = context.response.get("content-security-policy");
  const { origin } = new URL(String(oidc.params.redirect_uri));
  context.set(
    "content-security-policy",
    policy.replace("form-action 'self'", `form-action 'self' ${origin}`),
  );
}

type ClientSchema = { invalidate(message: string, code?: string): void };

const HTTPS_RULES = new Set(["implicit-force-https", "implicit-forbid-localhost"]);

/**
 * Allows http and localhost for the implicit flow, which the library always refuses. The addresses
 * of clients are checked when they are registered; those of built-in clients come from BASE_URL.
 */
function allowLoopback(provider: Provider): void {
  const { prototype } = (provider.Client as unknown as { Schema: { prototype: ClientSchema } })
    .Schema;
  const { invalidate } = prototype;
  prototype.invalidate = function leaveToRegistration(message, code) {
    if (code === undefined || !HTTPS_RULES.has(code)) invalidate.call(this, message, code);
  };
}
