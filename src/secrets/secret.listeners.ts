import type { Listener } from "#kernel/module.ts";
import { shredTenantKeys } from "./secret.service.ts";

/** In the transaction that ends the tenant: from its commit on no secret of it can be opened. */
export const shredOnDeletion: Listener = {
  events: "tenant.deleted",
  hear: (tx) => shredTenantKeys(tx),
};
