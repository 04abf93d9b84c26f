/** Tells every process that a tenant, or its configuration, has changed. */
export const TENANT_SIGNAL = "tenant";
