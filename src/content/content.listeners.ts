import { listen } from "#kernel/events/listen.ts";
import { passDeleted } from "#src/passes/public.ts";
import { contentKey } from "./content.service.ts";

/** Its payload names a pass: every node forgets what it rendered of it. */
export const CONTENT_SIGNAL = "content";

/** Nobody could find it any more; but of a person who was erased, memory keeps nothing either. */
export const forgetOnErasure = listen(passDeleted, async (tx, events) => {
  for (const { tenantId, data } of events) tx.signal(CONTENT_SIGNAL, contentKey(tenantId, data.id));
});
