import type { FastifyRequest } from "fastify";
import type { HttpPorts } from "./ports.ts";
import { problem } from "./problem.ts";

/** The paths, with everything below them, that a tenant's own host name serves. */
const SERVED = ["/api", "/api/tenants", "/p", "/e", "/r", "/.well-known/wallet"];
/** Monitoring of the domain calls this address, which only says that the service is running. */
const SERVED_TO_ALL = "/api/warmup";

/**
 * Throws 404 for everything that a tenant's own host name does not serve: other tenants, the
 * installation, its pages. For other host names, which are most, the check is synchronous.
 */
export function guardOwnHost(
  request: FastifyRequest,
  { tenantOfHost }: Pick<HttpPorts, "tenantOfHost">,
): Promise<void> | undefined {
  const found = tenantOfHost(request.hostname.toLowerCase().replace(/\.$/, ""));
  if (found === undefined) return undefined;
  return Promise.resolve(found).then((tenantId) => {
    if (tenantId === undefined || isServed(request.url, tenantId)) return;
    throw problem("routeNotFound", "There is nothing at this address.");
  });
}

/** Compares whole path segments, because the id of one tenant may be the beginning of another's. */
function isServed(url: string, tenantId: string): boolean {
  const [path = ""] = url.split("?", 1);
  if (path === SERVED_TO_ALL) return true;
  return SERVED.some((folder) => `${path}/`.startsWith(`${folder}/${tenantId}/`));
}
