import type { Listener } from "#kernel/module.ts";
import { passNotFound } from "./pass.errors.ts";
import { passDeleted } from "./pass.events.ts";
import { failUpdates } from "./update.service.ts";

/** What was still to be changed tells of the person too: it goes in the same transaction. */
export const dropUpdatesOfErased: Listener = {
  events: passDeleted.name,
  async hear(tx, events) {
    for (const { subject } of events) {
      if (subject === undefined) continue;
      const { code, message } = passNotFound({ passId: subject });
      await failUpdates(tx, subject, { code, message });
    }
  },
};
