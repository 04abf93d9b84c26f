import Type from "typebox";
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
    for (let removed = BATCH_ROWS; removed === BATCH_ROWS && !signal.aborted; ) {
      removed = await context.transaction((tx) => deleteOrphans(tx, BATCH_ROWS));
    }
  },
});
