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

export const CONSOLE_CLIENT = "billfold-console";
export const DOCS_CLIENT = "billfold-docs";
const BUILT_IN: ReadonlySet<unknown> = new Set([CONSOLE_CLIENT, DOCS_CLIENT]);

/** They run in browsers and on people's own machines, and can keep no secret. */
const PUBLIC_CLIENT = {
  token_endpoint_auth_method: "none",
  id_token_signed_response_alg: SIGNING_ALGORITHM,
  application_type: "web",
} as const;

/** How the library calls what a client may do by each flow. */
const FLOWS = {
  authorizationCode: {
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
  },
  implicit: { response_types: ["id_token token"], grant_types: ["implicit"] },
} as const satisfies Record<OAuthClient["flows"][number], object>;

/** Our own pages, so their consent is implied. */
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
      // The implicit flow as well: what the specification's bearer scheme names.
      ...PUBLIC_CLIENT,
      ...metadataOf(["authorizationCode", "implicit"]),
      // Its tokens end with the hour; another one is a click away, so nothing is left to be stolen.
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
 * Under the public address, and where that is a developer's own computer also under its other names:
 * people open `127.0.0.1` as often as `localhost`, and browsers take the two for different sites.
 */
function docsCallbacks({ baseUrl, environment }: Runtime): string[] {
  const callback = `${baseUrl}/docs/callback`;
  const { protocol, hostname, port, pathname } = new URL(callback);
  if (environment === "production" || !isLoopbackHost(hostname)) return [callback];
  const place = `${port === "" ? "" : `:${port}`}${pathname}`;
  const others = LOOPBACK_HOSTS.map((host) => `${protocol}//${host}${place}`);
  return [...new Set([callback, ...others])];
}

/** The client of the API reference, wherever people sign in; undefined where it has none. */
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

function metadataOf(flows: OAuthClient["flows"]) {
  return {
    response_types: flows.flatMap((flow) => FLOWS[flow].response_types),
    grant_types: flows.flatMap((flow) => FLOWS[flow].grant_types),
  };
}

/** The registered ones, read anew each time: a change holds for the next who signs in. */
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

/** Whether the client that a token was given to is still there. */
export function createClientCheck(runtime: Runtime): (clientId: unknown) => Promise<boolean> {
  const isRegistered = createOAuthClientCheck(runtime);
  return async (clientId) => {
    if (BUILT_IN.has(clientId)) return true;
    return typeof clientId === "string" && (await isRegistered(clientId));
  };
}
