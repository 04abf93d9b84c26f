import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { removeTenantFromAll } from "./administrator.service.ts";

/** Runs in the transaction that deletes the tenant, so that nobody has rights in a later one of its id. */
export const removeOnDeletion = listen(tenantDeleted, (tx) => removeTenantFromAll(tx));
