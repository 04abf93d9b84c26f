import Type from "typebox";
import { inBatches } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteOldNonces } from "./callback.repository.ts";

/** Longer than the clocks of two processes differ. */
const MARGIN_MS = 3_600_000;
const BATCH_ROWS = 1_000;

/** Forgets callbacks that would be refused anyway, because their time is over. */
export const purgeNonces = defineJob({
  name: "google-nonce.purge",
  payload: Type.Object({}),
  cron: "37 * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const before = new Date(context.clock.now().getTime() - MARGIN_MS);
    await inBatches(BATCH_ROWS, signal, () =>
      context.transaction((tx) => deleteOldNonces(tx, before, BATCH_ROWS)),
    );
  },
});
