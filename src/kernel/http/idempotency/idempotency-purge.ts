import Type from "typebox";
import { sql } from "../../db/sql.ts";
import { inBatches } from "../../jobs/batches.ts";
import { defineJob } from "../../jobs/define.ts";

const BATCH = 1_000;

/**
 * Deletes answers after a day (see `answerOnce`), in small transactions that do not delay writes.
 */
export const purgeIdempotentAnswers = defineJob({
  name: "idempotency.purge",
  payload: Type.Object({}),
  cron: "7 * * * *",
  concurrency: 1,
  async run(context, _payload, signal) {
    await inBatches(BATCH, signal, () =>
      context.transaction((tx) =>
        tx.run(sql`
          delete from idempotent_answer
           where ctid = any (array(
             select ctid
               from idempotent_answer
              where created_at < now() - interval '24 hours'
              order by created_at
              limit ${BATCH}
                for update skip locked))
        `),
      ),
    );
  },
});
