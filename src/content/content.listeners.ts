import { listen } from "#kernel/events/listen.ts";
import { passDeleted } from "#src/passes/public.ts";
import { contentKey } from "./content.service.ts";

/**
 * The payload is the key of a pass (`contentKey`). Every node deletes its rendering of that pass.
 */
export const CONTENT_SIGNAL = "content";

/**
 * A deleted pass can no longer be requested, but its rendering may hold personal data. The data of
 * an erased person must not stay in memory either.
 */
export const forgetOnErasure = listen(passDeleted, async (tx, events) => {
  for (const { tenantId, data } of events) tx.signal(CONTENT_SIGNAL, contentKey(tenantId, data.id));
});
