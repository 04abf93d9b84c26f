import { isIP } from "node:net";
import type { HttpPorts } from "#kernel/http/ports.ts";
import { createRateLimiter } from "#kernel/http/rate-limit/rate-limit.ts";
import type { Runtime } from "#kernel/runtime.ts";
import {
  ADMINISTRATOR_SIGNAL,
  createAuthenticator,
  createBearerVerifier,
} from "#src/access/public.ts";
import { API_KEY_SIGNAL } from "#src/api-keys/public.ts";
import { OAUTH_CLIENT_SIGNAL } from "#src/oauth-clients/public.ts";
import { TENANT_SIGNAL, tenantCacheOf } from "#src/tenants/public.ts";

/** Recognises our own host names without a lookup, because nearly all requests use them. */
function createHostLookup(
  { baseUrl }: Runtime,
  find: (domain: string) => Promise<string | undefined>,
): HttpPorts["tenantOfHost"] {
  const own = new URL(baseUrl).hostname;
  return (host) => {
    if (host === own || host === "localhost" || isIP(host) !== 0 || !host.includes("."))
      return undefined;
    return find(host);
  };
}

function hearOfRights({ signals }: Runtime, tell: (tenantId: string | undefined) => void): void {
  signals.on(API_KEY_SIGNAL, tell);
  signals.on(TENANT_SIGNAL, tell);
  signals.on(ADMINISTRATOR_SIGNAL, () => tell(undefined));
  signals.on(OAUTH_CLIENT_SIGNAL, () => tell(undefined));
  signals.onGap(() => tell(undefined));
}

/** Implements what the HTTP layer needs, with the modules. */
export function createHttpPorts(
  runtime: Runtime,
  operatorKeyHash: Buffer,
): { ports: HttpPorts; stop(): Promise<void> } {
  const tenants = tenantCacheOf(runtime);
  const authenticator = createAuthenticator(runtime, {
    operatorKeyHash: () => operatorKeyHash,
    verifyBearer: createBearerVerifier({
      runtime,
      issuer: runtime.authIssuer ?? runtime.baseUrl,
      builtIn: runtime.authIssuer === undefined,
    }),
  });
  const limiter = createRateLimiter({
    db: runtime.db,
    log: runtime.log,
    overrides: (tenantId) => tenants.rateLimits(tenantId),
  });
  return {
    ports: {
      authenticate: authenticator.authenticate,
      tenantOfHost: createHostLookup(runtime, (domain) => tenants.findByDomain(domain)),
      onRightsChanged: (tell) => hearOfRights(runtime, tell),
      tenantSince: async (tenantId) => (await tenants.find(tenantId))?.createdAt,
      takeToken: (tenantId, credentialId, route) =>
        limiter.takeToken(tenantId, credentialId, route),
    },
    stop: () => authenticator.stop(),
  };
}
