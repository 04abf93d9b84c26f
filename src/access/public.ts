export { createAuthenticator } from "./access.authenticate.ts";
export { ADMINISTRATOR_SIGNAL } from "./administrator.cache.ts";
export { findDocsClient } from "./authorization.clients.ts";
export { createTokenSourceFinder } from "./authorization.issuer.ts";
export { createBearerVerifier } from "./bearer.ts";
export { createFirstRunLink } from "./sign-in-link.service.ts";
