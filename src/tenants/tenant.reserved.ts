/**
 * Words that cannot be tenant ids, because addresses such as `/api/tenants` have the shape of
 * `/api/{tenantId}`. Some are reserved for later. A test compares this list with the routes.
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
  "me",
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
