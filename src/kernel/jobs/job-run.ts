import { setTimeout as sleep } from "node:timers/promises";
import type { JobWithMetadata } from "pg-boss";
import { systemCall } from "../call.ts";
import type { Log } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import type { JobDefinition } from "./define.ts";
import type { JobData } from "./job-boss.ts";
import { requirePayload } from "./job-payload.ts";

/** How long a run may take to end after it was told that its time is up. */
const ABORT_GRACE_MS = 5_000;

export type JobRun = {
  readonly definition: JobDefinition;
  readonly job: JobWithMetadata<JobData>;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly shutdown: AbortSignal;
};

/** One attempt. Payloads are not logged: what failed is named by the job's id. */
export async function runJob(run: JobRun): Promise<void> {
  const { definition, job, log, shutdown } = run;
  try {
    await runInTime(run);
  } catch (error) {
    const facts = {
      err: error,
      job: definition.name,
      jobId: job.id,
      tenantId: job.data.tenantId,
      attempt: job.retryCount + 1,
    };
    if (shutdown.aborted) log.info(facts, "job was cut short by the stop of its process");
    else if (job.retryCount < job.retryLimit) log.warn(facts, "job failed and runs again");
    else log.error(facts, "job has failed for good");
    throw toStored(error);
  }
}

async function runInTime({ definition, job, runtime, shutdown }: JobRun): Promise<void> {
  const { tenantId, payload } = job.data;
  requirePayload(definition, payload);
  const call = systemCall(runtime, definition.name, { tenantId, requestId: job.id });
  const timeout = new AbortController();
  const finished = new AbortController();
  const signal = AbortSignal.any([timeout.signal, shutdown, job.signal]);
  const overdue = async (): Promise<void> => {
    await sleep(definition.timeoutSeconds * 1_000, undefined, { signal: finished.signal });
    const error = new Error(`Job '${definition.name}' ran over ${definition.timeoutSeconds} s.`);
    timeout.abort(error);
    await sleep(ABORT_GRACE_MS, undefined, { signal: finished.signal });
    throw error;
  };
  try {
    // A run that does not heed its signal must not hold its place among the workers for ever.
    await Promise.race([definition.run(call, payload, signal), overdue()]);
  } finally {
    finished.abort();
  }
}

/** Only what helps to find the fault: other properties of an error may quote rows of a tenant. */
function toStored(error: unknown): Error {
  if (!(error instanceof Error)) return new Error("The job threw something that is no error.");
  const stored = new Error(error.message);
  stored.name = error.name;
  if (error.stack !== undefined) stored.stack = error.stack;
  return stored;
}
