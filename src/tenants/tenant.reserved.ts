/**
 * Words that stand where a tenant id could stand (`/api/tenants` has the shape of `/api/{tenantId}`)
 * or may do so one day. A test holds this list against the route table.
 */
export const RESERVED_TENANT_IDS: ReadonlySet<string> = new Set([
  "admin",
  "administrators",
  "api",
  "audit",
  "console",
  "docs",
  "health",
  "jobs",
  "metrics",
  "oauthClients",
  "openapi",
  "public",
  "system",
  "tenants",
  "v1",
  "v2",
  "warmup",
]);
