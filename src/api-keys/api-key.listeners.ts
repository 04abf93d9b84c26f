import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { revokeAllKeys } from "./api-key.service.ts";

/** In the transaction that ends the tenant: its keys stop with the answer. */
export const revokeOnDeletion = listen(tenantDeleted, (tx) => revokeAllKeys(tx));
