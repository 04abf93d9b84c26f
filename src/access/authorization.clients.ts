import type { ClientMetadata } from "oidc-provider";
import { SIGNING_ALGORITHM } from "./authorization.keys.ts";

export const CONSOLE_CLIENT = "billfold-console";
export const DOCS_CLIENT = "billfold-docs";

/** Our own pages, so their consent is implied. They run in browsers and can keep no secret. */
export function builtInClients(baseUrl: string): ClientMetadata[] {
  const common = {
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: SIGNING_ALGORITHM,
    application_type: "web",
  } as const;
  return [
    {
      ...common,
      client_id: CONSOLE_CLIENT,
      client_name: "Billfold",
      response_types: ["code"],
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [`${baseUrl}/console/callback`],
      post_logout_redirect_uris: [`${baseUrl}/console`],
    },
    {
      // The implicit flow: what API reference pages offer for the specification's bearer scheme.
      ...common,
      client_id: DOCS_CLIENT,
      client_name: "Billfold API reference",
      response_types: ["id_token token"],
      grant_types: ["implicit"],
      redirect_uris: [`${baseUrl}/docs/callback`],
      post_logout_redirect_uris: [`${baseUrl}/docs`],
    },
  ];
}
