/** Tells every node that a tenant's configuration, or the tenant itself, has changed. */
export const TENANT_SIGNAL = "tenant";
