import { listen } from "#kernel/events/listen.ts";
import { tenantDeleted } from "#src/tenants/public.ts";
import { deleteAllDevices } from "./device.service.ts";

/** Runs in the transaction that deletes the tenant, so that no code gives out a key afterwards. */
export const forgetOnDeletion = listen(tenantDeleted, (tx) => deleteAllDevices(tx));
