import type { Purger } from "#src/scheduler/public.ts";
import { deleteRefusalsBefore } from "../refusals/refusal.repository.ts";

const BATCH = 500;
const KEPT_MS = 30 * 86_400_000;

/** Events that were set aside are shown as long as the events themselves are kept. */
export const refusalPurger: Purger = {
  name: "refusedEvents",
  async purge(context, signal) {
    const before = new Date(context.clock.now().getTime() - KEPT_MS);
    let total = 0;
    for (let count = BATCH; count === BATCH && !signal.aborted; total += count) {
      count = await context.transaction((tx) => deleteRefusalsBefore(tx, before, BATCH));
    }
    return total;
  },
};
