export { ADMINISTRATOR_SIGNAL } from "./administrators/administrator.cache.ts";
export {
  type ConsoleClient,
  findConsoleClient,
  findDocsClient,
} from "./authorization/authorization.clients.ts";
export { createTokenSourceFinder } from "./authorization/authorization.issuer.ts";
export { createBearerVerifier } from "./bearer/bearer.ts";
export { AddressCounter, addressGroup, networkGroup } from "./credentials/address-counter.ts";
export { createAuthenticator } from "./credentials/authenticate.ts";
export { createFirstRunLink } from "./sign-in/sign-in-link.service.ts";
