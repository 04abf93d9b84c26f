export { createAuthenticator } from "./access.authenticate.ts";
export { createBearerVerifier } from "./bearer.ts";
export { createFirstRunLink } from "./sign-in-link.service.ts";
