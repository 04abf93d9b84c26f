import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { revokeAllKeys } from "./api-key.service.ts";

/** Runs in the transaction that deletes the tenant, so that its keys end at the same time. */
export const revokeOnDeletion = listen(tenantDeleted, (tx) => revokeAllKeys(tx));
