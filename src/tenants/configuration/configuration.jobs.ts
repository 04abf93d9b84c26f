import Type from "typebox";
import { inBatches } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import { deleteOrphans } from "./configuration.repository.ts";

const BATCH_ROWS = 2_000;

/**
 * Runs at night, when few tenants publish: a publication that uses such a content again waits until
 * its batch is deleted.
 */
export const purgeFileContents = defineJob({
  name: "configuration.purge",
  payload: Type.Object({}),
  cron: "23 3 * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    await inBatches(BATCH_ROWS, signal, () =>
      context.transaction((tx) => deleteOrphans(tx, BATCH_ROWS)),
    );
  },
});
