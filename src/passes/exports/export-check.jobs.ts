import Type from "typebox";
import { defineJob } from "#kernel/jobs/define.ts";
import { checkFiles } from "#src/scheduler/public.ts";
import { exportTask } from "./export.jobs.ts";
import { findExisting } from "./export.repository.ts";

/**
 * Former releases left lines of passes in files if others were erased at the same time. A week after
 * the upgrade there are no such files any more, and a later release can do without this job.
 */
export const checkExports = defineJob({
  name: "export.check",
  payload: Type.Object({}),
  cron: "17 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  run: (context, _payload, signal) => checkFiles(context, exportTask.kind, findExisting, signal),
});
