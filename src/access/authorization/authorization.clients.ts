import type { Adapter, ClientMetadata } from "oidc-provider";
import type { DocsClient } from "#kernel/http/docs/docs.ts";
import { isLoopbackHost } from "#kernel/loopback.ts";
import type { Runtime } from "#kernel/runtime.ts";
import {
  createOAuthClientCheck,
  findOAuthClient,
  isOAuthClientId,
  type OAuthClient,
} from "#src/oauth-clients/public.ts";
import { SIGNING_ALGORITHM } from "./authorization.keys.ts";
import { API_SCOPES, OPENID_SCOPES } from "./authorization.scopes.ts";

export const CONSOLE_CLIENT = "billfold-console";
export const DOCS_CLIENT = "billfold-docs";
const BUILT_IN: ReadonlySet<unknown> = new Set([CONSOLE_CLIENT, DOCS_CLIENT]);

/** Clients run in browsers and on the computers of people, so they cannot keep a secret. */
const PUBLIC_CLIENT = {
  token_endpoint_auth_method: "none",
  id_token_signed_response_alg: SIGNING_ALGORITHM,
  application_type: "web",
} as const;

/** The metadata of the library for each flow. */
const FLOWS = {
  authorizationCode: {
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
  },
  implicit: { response_types: ["id_token token"], grant_types: ["implicit"] },
} as const satisfies Record<OAuthClient["flows"][number], object>;

/** People are not asked for consent, because these clients are parts of the product. */
export function builtInClients(runtime: Runtime): ClientMetadata[] {
  const { baseUrl } = runtime;
  return [
    {
      ...PUBLIC_CLIENT,
      ...metadataOf(["authorizationCode"]),
      client_id: CONSOLE_CLIENT,
      client_name: "Billfold",
      redirect_uris: [`${baseUrl}/console/callback`],
      post_logout_redirect_uris: [`${baseUrl}/console`],
    },
    {
      // The implicit flow is allowed because the security scheme of the OpenAPI document names it.
      ...PUBLIC_CLIENT,
      ...metadataOf(["authorizationCode", "implicit"]),
      // No refresh token: nothing that could be stolen lasts longer than an hour.
      grant_types: ["authorization_code", "implicit"],
      client_id: DOCS_CLIENT,
      client_name: "Billfold API reference",
      redirect_uris: docsCallbacks(runtime),
      post_logout_redirect_uris: [`${baseUrl}/docs`],
    },
  ];
}

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The callbacks under the public address. On the computer of a developer, also under its other
 * names: people open both `127.0.0.1` and `localhost`, which are different sites for browsers.
 */
function docsCallbacks({ baseUrl, environment }: Runtime): string[] {
  const callback = `${baseUrl}/docs/callback`;
  const { protocol, hostname, port, pathname } = new URL(callback);
  if (environment === "production" || !isLoopbackHost(hostname)) return [callback];
  const place = `${port === "" ? "" : `:${port}`}${pathname}`;
  const others = LOOPBACK_HOSTS.map((host) => `${protocol}//${host}${place}`);
  return [...new Set([callback, ...others])];
}

/** The client with which the API reference signs people in; undefined if there is none. */
export function findDocsClient(runtime: Runtime): DocsClient | undefined {
  const { authIssuer, authClientId, baseUrl } = runtime;
  if (authIssuer !== undefined) {
    return authClientId === undefined ? undefined : { clientId: authClientId };
  }
  return {
    clientId: DOCS_CLIENT,
    callbacks: docsCallbacks(runtime),
    signOutUrl: `${baseUrl}/sign-out`,
  };
}

/** The client with which the console signs people in. */
export type ConsoleClient = {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Empty: all that the role of the person gives. Other issuers want to be asked for each scope. */
  readonly scope: string;
  readonly isBuiltIn: boolean;
  readonly signOutUrl?: string;
};

/** Undefined if another issuer signs people in and `AUTH_CLIENT_ID` names no client there. */
export function findConsoleClient(runtime: Runtime): ConsoleClient | undefined {
  const { authIssuer, authClientId, baseUrl } = runtime;
  const redirectUri = `${baseUrl}/console/callback`;
  if (authIssuer === undefined) {
    const signOutUrl = `${baseUrl}/sign-out`;
    return { clientId: CONSOLE_CLIENT, redirectUri, scope: "", isBuiltIn: true, signOutUrl };
  }
  if (authClientId === undefined) return undefined;
  const scope = [...OPENID_SCOPES, ...API_SCOPES].join(" ");
  return { clientId: authClientId, redirectUri, scope, isBuiltIn: false };
}

function metadataOf(flows: OAuthClient["flows"]) {
  return {
    response_types: flows.flatMap((flow) => FLOWS[flow].response_types),
    grant_types: flows.flatMap((flow) => FLOWS[flow].grant_types),
  };
}

/** Reads registered clients every time, so that a change takes effect at the next sign-in. */
export function createClientAdapter(runtime: Runtime): Adapter {
  const notOurs = () => Promise.reject(new Error("Clients are registered by the API alone."));
  return {
    async find(id) {
      const client = isOAuthClientId(id) ? await findOAuthClient(runtime, id) : undefined;
      if (client === undefined) return undefined;
      return {
        ...PUBLIC_CLIENT,
        ...metadataOf(client.flows),
        client_id: client.id,
        client_name: client.name,
        redirect_uris: [...client.redirectUris],
      };
    },
    upsert: notOurs,
    destroy: notOurs,
    consume: notOurs,
    findByUid: notOurs,
    findByUserCode: notOurs,
    revokeByGrantId: notOurs,
  };
}

/** Checks whether the client of a token still exists. */
export function createClientCheck(runtime: Runtime): (clientId: unknown) => Promise<boolean> {
  const isRegistered = createOAuthClientCheck(runtime);
  return async (clientId) => {
    if (BUILT_IN.has(clientId)) return true;
    return typeof clientId === "string" && (await isRegistered(clientId));
  };
}
