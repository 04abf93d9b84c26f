import type { Listener } from "#kernel/module.ts";
import { contentKey } from "./content.service.ts";

/** Its payload names a pass: every node forgets what it rendered of it. */
export const CONTENT_SIGNAL = "content";

/** Nobody could find it any more; but of a person who was erased, memory keeps nothing either. */
export const forgetOnErasure: Listener = {
  events: "pass.deleted",
  async hear(tx, events) {
    for (const { tenantId, subject } of events) {
      if (subject !== undefined) tx.signal(CONTENT_SIGNAL, contentKey(tenantId, subject));
    }
  },
};
