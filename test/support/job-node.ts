import type { ClientConfig } from "pg";
import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { collectLog, openDatabase, wireJobs } from "./kernel.ts";

/** A node whose jobs never end, to be killed in the middle of them. */

const define = (name: string, retries: number) =>
  defineJob({
    name,
    payload: Type.Object({}),
    retries,
    // As long as they come: a lost worker must not cost the wait meant for failures.
    retryDelaySeconds: 3_600,
    run: () => {
      process.send?.(name);
      return new Promise(() => undefined);
    },
  });

export const lostJob = define("lost.do", 5);
export const poisonJob = define("poison.do", 0);

if (import.meta.main) {
  const connection = JSON.parse(process.argv[2] ?? "{}") as ClientConfig;
  const { log } = collectLog();
  const db = openDatabase(connection, 2, log);
  const jobs = await wireJobs(connection, db, [lostJob, poisonJob], log);
  await jobs.startWorkers();
}
