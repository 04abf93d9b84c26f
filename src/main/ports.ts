import { isIP } from "node:net";
import type { HttpPorts } from "#kernel/http/ports.ts";
import { createRateLimiter } from "#kernel/http/rate-limit.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createAuthenticator, createBearerVerifier } from "#src/access/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";

/** Our own names are told apart without a lookup: nearly every request comes for one of them. */
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

/** Plugs the modules into what the HTTP layer asks for. */
export function createPorts(
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
      tenantExists: async (tenantId) => (await tenants.find(tenantId)) !== undefined,
      takeToken: (tenantId, credentialId, route) =>
        limiter.takeToken(tenantId, credentialId, route),
    },
    stop: () => authenticator.stop(),
  };
}
