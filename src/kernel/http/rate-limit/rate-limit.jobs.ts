import Type from "typebox";
import { sql } from "../../db/sql.ts";
import { defineJob } from "../../jobs/define.ts";

/** Deletes rows of windows that ended long ago: their credentials are gone or unused. */
export const purgeRateLimits = defineJob({
  name: "rate-limit.purge",
  payload: Type.Object({}),
  cron: "17 * * * *",
  concurrency: 1,
  async run(context) {
    await context.transaction((tx) =>
      tx.run(sql`delete from rate_limit where ends_at < now() - interval '10 minutes'`),
    );
  },
});
