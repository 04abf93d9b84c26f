import { randomBytes } from "node:crypto";
import { API_SCOPES, wordsOf } from "./authorization.scopes.ts";

/**
 * Converts an authorization request into a form that the library supports. `audience` becomes
 * `resource` of RFC 8707. The response type `token` of OAuth 2.0 becomes `id_token token` of
 * OpenID, with the parameters that plain OAuth clients do not send. A request without scopes asks
 * for all scopes that the role of the person gives.
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
  // All scopes are requested; those that the role does not give are removed after sign-in.
  if (scopes.size === 0) for (const scope of ["openid", ...API_SCOPES]) scopes.add(scope);
  if (query.get("response_type") === "token") {
    query.set("response_type", "id_token token");
    scopes.add("openid");
    // The nonce protects the id token, which a client that requested only `token` does not read.
    if (!query.has("nonce")) query.set("nonce", randomBytes(16).toString("base64url"));
  }
  if (query.getAll("scope").length <= 1) query.set("scope", [...scopes].join(" "));
  return `${url.slice(0, at)}?${query}`;
}
