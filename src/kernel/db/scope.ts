/**
 * The scope of the service's own work, used in place of a tenant id. No tenant can have this id.
 */
export const SYSTEM_SCOPE = "*";

const TENANT_ID_SHAPE = /^[a-z0-9][a-z0-9-]{1,62}$/;

/** False for `SYSTEM_SCOPE`, so a request cannot enter that scope by naming it as its tenant. */
export function isTenantId(text: string): boolean {
  return TENANT_ID_SHAPE.test(text);
}
