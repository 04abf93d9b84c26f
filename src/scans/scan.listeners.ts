import { listen } from "#kernel/events/listen.ts";
import { passDeleted } from "#src/passes/public.ts";
import { eraseScans } from "./scan.repository.ts";

/** Scans that were being recorded are there already: the erasure waited for them. */
export const eraseScansOfErased = listen(passDeleted, async (tx, events) => {
  await eraseScans(
    tx,
    events.map(({ data }) => data.id),
  );
});
