import type { Listener } from "#kernel/module.ts";
import { deleteAllWebhooks } from "./webhook.service.ts";

/** In the transaction that ends the tenant: nobody is told anything by it any more. */
export const forgetOnDeletion: Listener = {
  events: "tenant.deleted",
  hear: (tx) => deleteAllWebhooks(tx),
};
