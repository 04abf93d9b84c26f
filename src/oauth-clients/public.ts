export { createOAuthClientCheck } from "./oauth-client.cache.ts";
export { findOAuthClient } from "./oauth-client.repository.ts";
export { isOAuthClientId, type OAuthClient } from "./oauth-client.schema.ts";
export { OAUTH_CLIENT_SIGNAL } from "./oauth-client.service.ts";
