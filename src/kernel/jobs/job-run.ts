import { setTimeout as sleep } from "node:timers/promises";
import type { Db, JobWithMetadata } from "pg-boss";
import { systemCall } from "../call.ts";
import { SYSTEM_SCOPE } from "../db/scope.ts";
import type { Log } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import { isTenantNotFound } from "../tenant.errors.ts";
import type { JobDefinition } from "./define.ts";
import type { JobData } from "./job-boss.ts";
import { waitForHolders } from "./job-key.ts";
import { requirePayload } from "./job-payload.ts";

export type JobRun = {
  readonly definition: JobDefinition;
  readonly job: JobWithMetadata<JobData>;
  /** That of the queue. */
  readonly db: Db;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly shutdown: AbortSignal;
  /** How long the run may take to end after its signal was aborted. */
  readonly abortMs: number;
};

/** Runs one attempt of a job. Payloads are not logged: the job's id is enough to find it. */
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
    if (isTenantNotFound(error) && job.data.tenantId !== SYSTEM_SCOPE) {
      log.info(facts, "job has nothing to do any more: its tenant has ended");
      return;
    }
    if (shutdown.aborted) log.info(facts, "job was cut short by the stop of its process");
    else if (job.retryCount < job.retryLimit) log.warn(facts, "job failed and runs again");
    else log.error(facts, "job has failed for good");
    throw toStored(error);
  }
}

async function runInTime(run: JobRun): Promise<void> {
  const { definition, job, db, runtime, shutdown, abortMs } = run;
  const { tenantId, tenantSince, payload } = job.data;
  requirePayload(definition, payload);
  const call = systemCall(runtime, definition.name, {
    tenantId,
    tenantSince: tenantSince === undefined ? undefined : new Date(tenantSince),
    requestId: job.id,
  });
  const timeout = new AbortController();
  const finished = new AbortController();
  const signal = AbortSignal.any([timeout.signal, shutdown, job.signal]);
  const overdue = async (): Promise<void> => {
    await sleep(definition.timeoutSeconds * 1_000, undefined, { signal: finished.signal });
    const error = new Error(`Job '${definition.name}' ran over ${definition.timeoutSeconds} s.`);
    timeout.abort(error);
    await sleep(abortMs, undefined, { signal: finished.signal });
    throw error;
  };
  const begin = async (): Promise<void> => {
    await waitForHolders(db, job, signal);
    await definition.run(call, payload, signal);
  };
  try {
    // A run that ignores its signal must not occupy a worker for ever.
    await Promise.race([begin(), overdue()]);
  } finally {
    finished.abort();
  }
}

/**
 * Keeps only the name, message and stack: other properties of an error may quote rows of a tenant.
 */
function toStored(error: unknown): Error {
  if (!(error instanceof Error)) return new Error("The job threw something that is no error.");
  const stored = new Error(error.message);
  stored.name = error.name;
  if (error.stack !== undefined) stored.stack = error.stack;
  return stored;
}
