import { listen } from "#kernel/events/listen.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { markUniqueIdentifiers } from "./pass-identifier.jobs.ts";
import { hasIdentifiers } from "./pass-identifier.repository.ts";

/** Only templates say which identifiers are unique. */
const TEMPLATE = /^server\/passes\//;

/**
 * Enqueued in the same transaction, so no publication is missed. A background job does the work,
 * because there may be millions of passes. New passes do not wait for it: what is inserted looks for
 * holders with the mark and without.
 */
export const markOnPublication = listen(configurationPublished, async (tx, events) => {
  const mayMatter = events.some(
    ({ data: { changes, changeCount } }) =>
      changeCount > changes.length || changes.some(({ path }) => TEMPLATE.test(path)),
  );
  if (!mayMatter || !(await hasIdentifiers(tx))) return;
  tx.enqueue(markUniqueIdentifiers, {}, { singletonKey: tx.tenantId });
});
