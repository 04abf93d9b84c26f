import Type from "typebox";
import { inBatches } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteEnded } from "./delivery.repository.ts";

const PURGE_BATCH = 1_000;
const KEPT_MS = 30 * 86_400_000;

/** Deletes what ended 30 days ago, of all tenants. */
export const purgePassDeliveries = defineJob({
  name: "apple-pass.purge-deliveries",
  payload: Type.Object({}),
  cron: "17 * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    const before = new Date(context.clock.now().getTime() - KEPT_MS);
    await inBatches(PURGE_BATCH, signal, () =>
      context.transaction((tx) => deleteEnded(tx, before, PURGE_BATCH)),
    );
  },
});
