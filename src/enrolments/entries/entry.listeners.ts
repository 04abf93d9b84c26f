import { listen } from "#kernel/events/listen.ts";
import { passDeleted } from "#src/passes/public.ts";
import { deleteEntriesOf } from "./entry.repository.ts";

/** Whoever had the pass may enrol again, and nothing is left that tells that they had. */
export const forgetErased = listen(passDeleted, async (tx, events) => {
  deleteEntriesOf(
    tx,
    events.map(({ data }) => data.id),
  );
});
