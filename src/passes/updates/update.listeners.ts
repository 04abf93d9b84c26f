import { listen } from "#kernel/events/listen.ts";
import { passNotFound } from "../pass.errors.ts";
import { passDeleted } from "../pass.events.ts";
import { failUpdates } from "./update.service.ts";

/** Queued changes contain personal data too, so they are deleted in the same transaction. */
export const dropUpdatesOfErased = listen(passDeleted, async (tx, events) => {
  await failUpdates(
    tx,
    events.map(({ data }) => data.id),
    (passId) => {
      const { code, message } = passNotFound({ passId });
      return { code, message };
    },
  );
});
