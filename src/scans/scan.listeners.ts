import { listen } from "#kernel/events/listen.ts";
import { awaitHolders } from "#src/content/public.ts";
import { passDeleted } from "#src/passes/public.ts";
import { eraseScans } from "./scan.repository.ts";

/** Waits for scans of the pass that are being recorded, so that none is left. */
export const eraseScansOfErased = listen(passDeleted, async (tx, events) => {
  const ids = events.map(({ data }) => data.id);
  await awaitHolders(tx, ids);
  await eraseScans(tx, ids);
});
