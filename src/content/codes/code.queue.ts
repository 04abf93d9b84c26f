import Type from "typebox";
import type { QueuedJob } from "#kernel/jobs/queued-job.ts";

/** The queue of `refreshCodes`, apart from the job itself, which needs what enqueues it. */
const payload = Type.Object({});
export const refreshCodes: QueuedJob<typeof payload> = { name: "code.refresh", payload };
