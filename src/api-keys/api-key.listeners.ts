import type { Listener } from "#kernel/module.ts";
import { revokeAllKeys } from "./api-key.service.ts";

/** In the transaction that ends the tenant: its keys stop with the answer. */
export const revokeOnDeletion: Listener = {
  events: "tenant.deleted",
  hear: (tx) => revokeAllKeys(tx),
};
