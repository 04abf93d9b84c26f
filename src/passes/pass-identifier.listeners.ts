import type { Listener } from "#kernel/module.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";
import { hasIdentifiers } from "./pass-identifier.repository.ts";

/** In the same transaction: no publication is missed. Done later, as there may be millions. */
export const markOnPublication: Listener = {
  events: "configuration.published",
  async hear(tx) {
    if (!(await hasIdentifiers(tx))) return;
    tx.enqueue(markUniqueIdentifiers, {}, { singletonKey: tx.tenantId });
  },
};
