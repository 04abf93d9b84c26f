import { listen } from "#kernel/events/listen.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";
import { hasIdentifiers } from "./pass-identifier.repository.ts";

/**
 * Enqueued in the same transaction, so no publication is missed. A background job does the work,
 * because there may be millions of passes.
 */
export const markOnPublication = listen(configurationPublished, async (tx) => {
  if (!(await hasIdentifiers(tx))) return;
  tx.enqueue(markUniqueIdentifiers, {}, { singletonKey: tx.tenantId });
});
