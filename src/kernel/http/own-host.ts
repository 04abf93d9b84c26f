import type { FastifyRequest } from "fastify";
import type { HttpPorts } from "./ports.ts";
import { problem } from "./problem.ts";

/** What a tenant's own host name serves, the tenant's id filled in. */
const SERVED_PREFIXES = [
  (tenantId: string) => `/api/${tenantId}/`,
  (tenantId: string) => `/p/${tenantId}/`,
  (tenantId: string) => `/e/${tenantId}/`,
  (tenantId: string) => `/.well-known/wallet/${tenantId}/`,
  // Whoever watches the domain asks here, and learns nothing but that it is up.
  () => "/api/warmup",
];

/**
 * Throws 404 for everything that a tenant's own host name does not serve: other tenants, the
 * installation, its pages. For other names, which are most, it costs no wait.
 */
export function guardOwnHost(
  request: FastifyRequest,
  { tenantOfHost }: Pick<HttpPorts, "tenantOfHost">,
): Promise<void> | undefined {
  const found = tenantOfHost(request.hostname.toLowerCase().replace(/\.$/, ""));
  if (found === undefined) return undefined;
  return Promise.resolve(found).then((tenantId) => {
    if (tenantId === undefined) return;
    if (SERVED_PREFIXES.some((prefix) => request.url.startsWith(prefix(tenantId)))) return;
    throw problem("routeNotFound", "There is nothing at this address.");
  });
}
