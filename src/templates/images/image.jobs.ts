import Type from "typebox";
import { inBatches } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteUnused } from "./image.repository.ts";

const BATCH = 200;
const KEPT_UNUSED_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Deletes fitted images that were not used for 30 days. Images of a source that no configuration
 * uses are not requested any more.
 */
export const purgeFittedImages = defineJob({
  name: "fitted-image.purge",
  payload: Type.Object({}),
  cron: "23 3 * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const usedBefore = new Date(context.clock.now().getTime() - KEPT_UNUSED_MS);
    await inBatches(BATCH, signal, () =>
      context.transaction((tx) => deleteUnused(tx, usedBefore, BATCH)),
    );
  },
});
