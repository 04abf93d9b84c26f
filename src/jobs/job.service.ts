import { isAllowed } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { ListInput } from "#kernel/http/lists/list-page.ts";
import { problem } from "#kernel/http/problem.ts";
import type { Answer } from "#kernel/http/route.ts";
import { jobIsFinished, jobNotFound } from "./job.errors.ts";
import { jobEnded, jobProgressed } from "./job.events.ts";
import * as jobs from "./job.repository.ts";
import { areaOf, isOver, JOB_AREAS, type Job, type JobFailure, presentJob } from "./job.schema.ts";
import { JOB_HINT } from "./job.signal.ts";
import type { JobItem } from "./job-item.repository.ts";

export type JobWithFailures = { readonly job: Job; readonly failures: readonly JobFailure[] };

/** Lists the jobs that the scopes of the caller allow. */
export function listJobs(context: TenantContext, input: ListInput): Promise<Answer> {
  const { actor, tenantId } = context;
  const areas = JOB_AREAS.filter((area) => isAllowed(actor, `${area}.Read`, tenantId));
  return jobs.listJobs(context, input, areas);
}

export async function getJob(context: TenantContext, jobId: string): Promise<JobWithFailures> {
  const job = await jobs.findJob(context, jobId);
  // A job that the caller may not see is reported as not found.
  if (job === undefined || !maySee(context, job)) throw jobNotFound({ jobId });
  return { job, failures: await jobs.listFailures(context, jobId) };
}

function maySee(context: TenantContext, job: Job): boolean {
  return mayUse(context, job, "Read") || mayUse(context, job, "Write");
}

function mayUse({ actor, tenantId }: TenantContext, job: Job, right: "Read" | "Write"): boolean {
  const area = areaOf(job);
  return area !== undefined && isAllowed(actor, `${area}.${right}`, tenantId);
}

function requireWrite(context: TenantContext, job: Job): void {
  if (mayUse(context, job, "Write")) return;
  const requiredScope = `${areaOf(job)}.Write`;
  const detail = `Stopping this job needs the scope ${requiredScope}.`;
  throw problem("forbidden", detail, { members: { requiredScope } });
}

/** Waits for a batch under way. After that, no item of the job is applied. */
export async function cancelJob(context: TenantContext, jobId: string): Promise<JobWithFailures> {
  const known = await jobs.findJob(context, jobId);
  if (known === undefined || !maySee(context, known)) throw jobNotFound({ jobId });
  requireWrite(context, known);
  await context.transaction(async (tx) => {
    const job = await jobs.updateToCancelled(tx, jobId);
    if (job === undefined) throw jobIsFinished({ jobId });
    tx.audit({ target: `job:${jobId}`, after: { state: job.state, processed: job.processed } });
    tx.hint(JOB_HINT, tx.tenantId);
    tellProgress(tx, job, 0);
  });
  const job = await jobs.findJob(context, jobId);
  return { job: job ?? known, failures: await jobs.listFailures(context, jobId) };
}

/** The items must already be inserted in this transaction. Wakes the workers. */
export async function startJob(tx: TenantTx, job: jobs.NewJob): Promise<void> {
  await jobs.insertJob(tx, job);
  tx.hint(JOB_HINT, tx.tenantId);
}

export type Outcome = {
  readonly item: JobItem;
  readonly result: "updated" | "unchanged" | "failed";
  readonly failure?: Pick<JobFailure, "code" | "message"> | undefined;
};

/** Counts each item in its job and stores reasons of failures. The caller must lock the jobs. */
export async function recordOutcomes(
  tx: TenantTx,
  locked: readonly jobs.LockedJob[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const byJob = Map.groupBy(outcomes, ({ item }) => item.jobId);
  const steps: jobs.Progress[] = [];
  const failures: jobs.NotedFailure[] = [];
  for (const { id, noted } of locked) {
    const own = byJob.get(id);
    if (own === undefined) continue;
    const count = (wanted: Outcome["result"]) =>
      own.filter(({ result }) => result === wanted).length;
    const failed = own.flatMap(({ item, failure }) =>
      failure === undefined ? [] : [{ subject: item.subject, ...failure }],
    );
    failures.push(
      ...failed.map((failure, index) => ({ ...failure, jobId: id, position: noted + index })),
    );
    steps.push({
      id,
      updated: count("updated"),
      unchanged: count("unchanged"),
      failed: count("failed"),
      noted: failed.length,
    });
  }
  await jobs.insertFailures(tx, failures);
  if (steps.length === 0) return;
  const doneOf = new Map(
    steps.map((step) => [step.id, step.updated + step.unchanged + step.failed]),
  );
  for (const job of await jobs.addProgress(tx, steps)) {
    tellProgress(tx, job, doneOf.get(job.id) ?? 0);
  }
}

/** Counts a step of a walk. The caller must lock the job. */
export async function addWalkStep(tx: TenantTx, step: jobs.WalkStep): Promise<void> {
  tellProgress(tx, await jobs.addWalkStep(tx, step), step.updated + step.unchanged);
}

/** Events of a job: a tenth of its work each, so that a job of a million things has ten. */
const PARTS = 10;

/**
 * Tells the end of a job, and every tenth of its work. Of a change of one pass by its id, the event of
 * that pass tells; only a failure has no such event.
 */
function tellProgress(tx: TenantTx, job: Job, done: number): void {
  const { matched, processed, request, state } = job;
  if (request.selection === "passId" && state !== "failed") return;
  const partOf = (count: number) => Math.floor((count * PARTS) / matched);
  if (isOver(job)) tx.emit(jobEnded, presentJob(job));
  else if (partOf(processed - done) < partOf(processed)) tx.emit(jobProgressed, presentJob(job));
}

/** Stores problems of items that are not applied yet, without counting the items as failed. */
export async function noteFailures(
  tx: TenantTx,
  failures: readonly (JobFailure & { readonly jobId: string })[],
): Promise<void> {
  if (failures.length === 0) return;
  const byJob = Map.groupBy(failures, ({ jobId }) => jobId);
  const locked = await jobs.lockJobs(tx, [...byJob.keys()]);
  const steps = locked
    .filter(({ isOpen }) => isOpen)
    .map(({ id, noted }) => ({ id, noted, own: byJob.get(id) ?? [] }));
  await jobs.insertFailures(
    tx,
    steps.flatMap(({ noted, own }) =>
      own.map((failure, index) => ({ ...failure, position: noted + index })),
    ),
  );
  await jobs.addProgress(
    tx,
    steps.map(({ id, own }) => ({ id, updated: 0, unchanged: 0, failed: 0, noted: own.length })),
  );
}
