import type { Route } from "../route.ts";
import type { JsonObject } from "./json-schema.ts";

export type DocumentedScope = {
  /** As API keys carry it: `Pass.Read`. */
  readonly scope: string;
  /** As bearer tokens carry it: `tenant.pass:read`. */
  readonly bearer: string;
  readonly description: string;
};

export function securitySchemes(scopes: readonly DocumentedScope[], baseUrl: string): JsonObject {
  const named = Object.fromEntries(scopes.map(({ bearer, description }) => [bearer, description]));
  const authorizationUrl = `${baseUrl}/authorize?audience=${baseUrl}/api/`;
  return {
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-KEY",
      description: "A key of one tenant, limited to the scopes it was given.",
    },
    oauth2: {
      type: "oauth2",
      description: "A bearer token of an administrator.",
      flows: {
        implicit: { authorizationUrl, scopes: named },
        authorizationCode: { authorizationUrl, tokenUrl: `${baseUrl}/token`, scopes: named },
      },
    },
  };
}

export function securityOf(
  { scope, op }: Route,
  bearerScopes: ReadonlyMap<string, string>,
): JsonObject[] {
  if (scope === "public") return [];
  if (scope === "role:global-administrator") return [{ apiKey: [] }, { oauth2: [] }];
  const bearer = bearerScopes.get(scope);
  if (bearer === undefined) throw new TypeError(`${op} needs the scope '${scope}', which is none.`);
  return [{ apiKey: [] }, { oauth2: [bearer] }];
}
