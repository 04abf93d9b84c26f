import Type from "typebox";
import { defineJob, type JobDefinition } from "#kernel/jobs/define.ts";
import { deleteExpiredRecords } from "./authorization/authorization.repository.ts";
import { deleteOldAttempts } from "./sign-in/sign-in-attempt.repository.ts";
import { deleteExpiredLinks } from "./sign-in/sign-in-link.repository.ts";

const ROUNDS_MAX = 100;

/** Deletes expired rows only to keep the tables small: no query returns them. */
export const purgeSignIns = defineJob({
  name: "sign-in.purge",
  payload: Type.Object({}),
  cron: "*/15 * * * *",
  async run(context, _payload, signal) {
    await context.transaction(async (tx) => {
      await deleteExpiredLinks(tx);
      await deleteOldAttempts(tx);
    });
    // Deletes in short transactions, because sessions are written at the same time.
    for (let round = 0; round < ROUNDS_MAX && !signal.aborted; round += 1) {
      if ((await context.transaction(deleteExpiredRecords)) === 0) return;
    }
  },
});

export const accessJobs: readonly JobDefinition[] = [purgeSignIns];
