import Type from "typebox";
import { sql } from "../../db/sql.ts";
import { inBatches } from "../../jobs/batches.ts";
import { defineJob } from "../../jobs/define.ts";

const BATCH_ROWS = 5_000;

/**
 * Deletes rows of windows that ended long ago: their credentials are gone or unused. Reads the whole table, because
 * an index of the ends would have to be written with every window.
 */
export const purgeRateLimits = defineJob({
  name: "rate-limit.purge",
  payload: Type.Object({}),
  cron: "17 * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    await inBatches(BATCH_ROWS, signal, () =>
      context.transaction((tx) =>
        tx.run(sql`
          delete from rate_limit
           where ctid = any (array(
             select ctid
               from rate_limit
              where ends_at < now() - interval '10 minutes'
              limit ${BATCH_ROWS}
                for update skip locked))
        `),
      ),
    );
  },
});
