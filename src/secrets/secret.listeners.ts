import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { shredTenantKeys } from "./secret.service.ts";

/** In the transaction that ends the tenant: from its commit on no secret of it can be opened. */
export const shredOnDeletion = listen(tenantDeleted, (tx) => shredTenantKeys(tx));
