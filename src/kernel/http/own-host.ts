import type { FastifyRequest } from "fastify";
import type { HttpPorts } from "./ports.ts";
import { problem } from "./problem.ts";

/** What a tenant's own host name serves: these folders of the address, and all below them. */
const SERVED = ["/api", "/api/tenants", "/p", "/e", "/.well-known/wallet"];
/** Whoever watches the domain asks here, and learns nothing but that it is up. */
const SERVED_TO_ALL = "/api/warmup";

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
    if (tenantId === undefined || isServed(request.url, tenantId)) return;
    throw problem("routeNotFound", "There is nothing at this address.");
  });
}

/** Whole parts of the path are compared: the id of one tenant may begin as another's does. */
function isServed(url: string, tenantId: string): boolean {
  const [path = ""] = url.split("?", 1);
  if (path === SERVED_TO_ALL) return true;
  return SERVED.some((folder) => `${path}/`.startsWith(`${folder}/${tenantId}/`));
}
