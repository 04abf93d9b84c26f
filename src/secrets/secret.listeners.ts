import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { shredTenantKeys } from "./secret.service.ts";

/** Runs in the transaction that deletes the tenant: after its commit, no secret can be opened. */
export const shredOnDeletion = listen(tenantDeleted, (tx) => shredTenantKeys(tx));
