import { ANY_CREDENTIAL, PLATFORM_SCOPE } from "../../actor.ts";
import type { Route } from "../route.ts";
import type { JsonObject } from "./json-schema.ts";

export type DocumentedScope = {
  /**
   * The form in API keys, such as `Pass.Read`. A scope that no API key can have has its bearer form
   * here.
   */
  readonly scope: string;
  /** The form in bearer tokens, such as `tenant.pass:read`. */
  readonly bearer: string;
  readonly description: string;
};

/** Where bearer tokens come from: either the OAuth flows, or only a discovery document. */
export type TokenSource =
  | {
      readonly implicit?: { readonly authorizationUrl: string };
      readonly authorizationCode?: {
        readonly authorizationUrl: string;
        readonly tokenUrl: string;
      };
    }
  | { readonly openIdConnectUrl: string };

function builtInSource(baseUrl: string): TokenSource {
  const authorizationUrl = `${baseUrl}/authorize?audience=${baseUrl}/api/`;
  return {
    implicit: { authorizationUrl },
    authorizationCode: { authorizationUrl, tokenUrl: `${baseUrl}/token` },
  };
}

export function securitySchemes(
  scopes: readonly DocumentedScope[],
  baseUrl: string,
  source: TokenSource = builtInSource(baseUrl),
): JsonObject {
  const named = Object.fromEntries(scopes.map(({ bearer, description }) => [bearer, description]));
  const description = "A bearer token of an administrator.";
  return {
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-KEY",
      description: "A key of one tenant, limited to the scopes it was given.",
    },
    oauth2:
      "openIdConnectUrl" in source
        ? { type: "openIdConnect", description, ...source }
        : { type: "oauth2", description, flows: flowsOf(source, named) },
  };
}

function flowsOf(flows: object, scopes: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(flows).map(([flow, addresses]) => [flow, { ...addresses, scopes }]),
  );
}

export function securityOf(
  { scope, orScopes = [], op }: Route,
  bearerScopes: ReadonlyMap<string, string>,
): JsonObject[] {
  if (scope === "public") return [];
  if (scope === ANY_CREDENTIAL) return [{ apiKey: [] }, { oauth2: [] }];
  if (scope === PLATFORM_SCOPE) return [{ apiKey: [] }, { oauth2: [PLATFORM_SCOPE] }];
  const tokens = [scope, ...orScopes].map((name) => {
    const bearer = bearerScopes.get(name);
    if (bearer === undefined) {
      throw new TypeError(`${op} needs the scope '${name}', which is none.`);
    }
    return { oauth2: [bearer] };
  });
  return [{ apiKey: [] }, ...tokens];
}
