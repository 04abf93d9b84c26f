import { randomBytes } from "node:crypto";
import { API_SCOPES, wordsOf } from "./authorization.scopes.ts";

/**
 * Brings an authorization request into the form the authorization server knows:
 * `audience` is RFC 8707's `resource` by its older name; the OAuth 2.0 implicit flow's bare `token`
 * is answered as OpenID's `id_token token`, whose further parameters plain OAuth clients do not send;
 * no scope at all stands for every scope that the role of the person gives.
 */
export function toOpenIdRequest(url: string, apiAudience: string): string {
  const at = url.indexOf("?");
  if (at === -1) return url;
  const query = new URLSearchParams(url.slice(at + 1));

  const audiences = query.getAll("audience");
  query.delete("audience");
  if (!query.has("resource")) {
    for (const audience of audiences) {
      const isApi = `${audience.replace(/\/+$/, "")}/` === apiAudience;
      query.append("resource", isApi ? apiAudience : audience);
    }
  }

  const scopes = new Set(wordsOf(query.get("scope") ?? ""));
  // All there are: what the role does not give is left out once it is known who asks.
  if (scopes.size === 0) for (const scope of ["openid", ...API_SCOPES]) scopes.add(scope);
  if (query.get("response_type") === "token") {
    query.set("response_type", "id_token token");
    scopes.add("openid");
    // It protects the id token, which a client that asked for `token` alone does not look at.
    if (!query.has("nonce")) query.set("nonce", randomBytes(16).toString("base64url"));
  }
  if (query.getAll("scope").length <= 1) query.set("scope", [...scopes].join(" "));
  return `${url.slice(0, at)}?${query}`;
}
