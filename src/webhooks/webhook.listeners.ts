import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { deleteAllWebhooks } from "./webhook.service.ts";

/** Runs in the transaction that deletes the tenant, so no further event is delivered. */
export const forgetOnDeletion = listen(tenantDeleted, (tx) => deleteAllWebhooks(tx));
