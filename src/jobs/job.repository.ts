import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import {
  FAILURES_KEPT_MAX,
  FAILURES_SHOWN_MAX,
  type Job,
  type JobArea,
  type JobFailure,
  type JobKind,
  type JobRequest,
  JobState,
  presentJob,
} from "./job.schema.ts";

const jobColumns: Sql<Job> = sql<Job>`
  job.id, job.kind, job.state, job.request, job.matched, job.processed, job.updated,
  job.unchanged, job.failed, job.created_at as "createdAt", job.created_by as "createdBy",
  job.started_at as "startedAt", job.touched_at as "touchedAt", job.finished_at as "finishedAt"
`;

export const JOB_LIST: ListSpec = {
  fields: {
    id: { sql: "id", type: "id", nullable: false },
    kind: { sql: "kind", type: "text", nullable: false, sortable: false },
    state: { sql: "state", type: "text", values: JobState.enum, nullable: false, sortable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false, sortable: false },
    createdBy: { sql: "created_by", type: "text", nullable: false, sortable: false },
    finishedAt: { sql: "finished_at", type: "timestamp", sortable: false },
    matched: { sql: "matched", type: "number", nullable: false, sortable: false },
    failed: { sql: "failed", type: "number", nullable: false, sortable: false },
  },
  id: "id",
  paging: "always",
  defaultSort: [{ field: "id", direction: "DESC" }],
};

/** Lists only jobs of these areas. */
export function listJobs(
  context: TenantContext,
  input: ListInput,
  areas: readonly JobArea[],
): Promise<Answer> {
  const nouns = areas.map((area) => area.toLowerCase());
  return listPage(
    context,
    {
      columns: jobColumns,
      from: sql`job`,
      where: sql`tenant_id = ${context.tenantId}
                 and split_part(kind, '.', 1) = any(${nouns}::text[])`,
      spec: JOB_LIST,
      present: presentJob,
    },
    input,
  );
}

export async function findJob(context: TenantContext, id: string): Promise<Job | undefined> {
  const rows = await context.read(sql<Job>`
    select ${jobColumns} from job where tenant_id = ${context.tenantId} and id = ${id}
  `);
  return rows[0];
}

export async function listFailures(context: TenantContext, id: string): Promise<JobFailure[]> {
  return await context.read(sql<JobFailure>`
    select subject, code, message
      from job_failure
     where tenant_id = ${context.tenantId} and job_id = ${id}
     order by position
     limit ${FAILURES_SHOWN_MAX}
  `);
}

export type NewJob = {
  readonly id: string;
  readonly kind: JobKind;
  readonly request: JobRequest;
  readonly change: unknown;
  readonly matched: number;
};

/** A job without items is completed at once. */
export async function insertJob(tx: TenantTx, job: NewJob): Promise<void> {
  const isEmpty = job.matched === 0;
  const end = isEmpty ? tx.now : null;
  await tx.run(sql`
    insert into job (tenant_id, id, kind, state, request, change, matched, has_items, created_at,
                     created_by, request_id, started_at, touched_at, finished_at)
    values (${tx.tenantId}, ${job.id}, ${job.kind}, ${isEmpty ? "completed" : "queued"},
            ${JSON.stringify(job.request)}::jsonb,
            ${isEmpty || job.change === undefined ? null : JSON.stringify(job.change)}::jsonb,
            ${job.matched}, ${!isEmpty}, ${tx.now}, ${tx.origin.actor.id}, ${tx.origin.requestId},
            ${end}, ${end}, ${end})
  `);
}

export type NewWalk = Omit<NewJob, "matched">;

/** Inserts a job without items (a walk): it counts its work step by step. */
export async function insertWalk(tx: TenantTx, job: NewWalk): Promise<void> {
  await tx.run(sql`
    insert into job (tenant_id, id, kind, state, request, change, matched, has_items, created_at,
                     created_by)
    values (${tx.tenantId}, ${job.id}, ${job.kind}, 'queued', ${JSON.stringify(job.request)}::jsonb,
            ${JSON.stringify(job.change)}::jsonb, 0, false, ${tx.now}, ${tx.origin.actor.id})
  `);
}

/** Inserts a job that was completed in the same transaction. */
export async function insertDone(tx: TenantTx, job: Omit<NewJob, "change">): Promise<void> {
  await tx.run(sql`
    insert into job (tenant_id, id, kind, state, request, matched, processed, updated, has_items,
                     created_at, created_by, started_at, touched_at, finished_at)
    values (${tx.tenantId}, ${job.id}, ${job.kind}, 'completed',
            ${JSON.stringify(job.request)}::jsonb, ${job.matched}, ${job.matched}, ${job.matched},
            false, ${tx.now}, ${tx.origin.actor.id}, ${tx.now}, ${tx.now}, ${tx.now})
  `);
}

export type WalkStep = {
  readonly id: string;
  /** What this step adds to the number of matches. */
  readonly matched: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly state: "running" | "completed" | "failed";
  /** The position at which the next step continues. */
  readonly change: unknown;
};

/** The walk must be locked and open. At its end, `matched` becomes the number processed. */
export function addWalkStep(tx: TenantTx, step: WalkStep): Promise<Job> {
  const isOver = step.state !== "running";
  const done = step.updated + step.unchanged;
  return tx.one(sql<Job>`
    update job
       set matched = case when ${isOver} then processed + ${done} else matched + ${step.matched} end,
           processed = processed + ${done},
           updated = updated + ${step.updated},
           unchanged = unchanged + ${step.unchanged},
           state = ${step.state},
           started_at = coalesce(started_at, now()),
           touched_at = clock_timestamp(),
           finished_at = case when ${isOver} then clock_timestamp() end,
           change = case when not ${isOver} then ${JSON.stringify(step.change)}::jsonb end
     where tenant_id = ${tx.tenantId} and id = ${step.id}
    returning ${jobColumns}
  `);
}

/** Fails walks without progress since `before`, because their worker has given up. */
export async function failLostWalks(tx: TenantTx, before: Date): Promise<void> {
  await tx.run(sql`
    update job
       set state = 'failed', finished_at = ${tx.now}, change = null
     where not has_items
       and state in ('queued', 'running')
       and coalesce(touched_at, created_at) < ${before}
  `);
}

export type LockedJob = {
  readonly id: string;
  readonly isOpen: boolean;
  readonly change: unknown;
  readonly noted: number;
  /** The request that asked for it; null for jobs of earlier releases. */
  readonly requestId: string | null;
};

/** Prevents these jobs from being cancelled before the transaction ends. */
export function lockJobs(tx: TenantTx, ids: readonly string[]): Promise<LockedJob[]> {
  return tx.many(sql<LockedJob>`
    select id, state in ('queued', 'running') as "isOpen", change, noted,
           request_id as "requestId"
      from job
     where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
     order by id
       for update
  `);
}

export type Progress = {
  readonly id: string;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly noted: number;
};

/**
 * The jobs must be locked and open. Times are those of the database clock, from the start of the
 * first transaction to the end of the last one, so that the rate covers all the work. Returns the
 * jobs as they are then.
 */
export function addProgress(tx: TenantTx, progress: readonly Progress[]): Promise<Job[]> {
  return tx.many(sql<Job>`
    update job
       set processed = job.processed + step.done,
           updated = job.updated + step.updated,
           unchanged = job.unchanged + step.unchanged,
           failed = job.failed + step.failed,
           noted = job.noted + step.noted,
           started_at = coalesce(job.started_at, now()),
           touched_at = case when step.done > 0 then clock_timestamp() else job.touched_at end,
           state = case when job.processed + step.done < job.matched then 'running'
                        when job.failed + step.failed = job.matched then 'failed'
                        else 'completed' end,
           finished_at = case when job.processed + step.done < job.matched
                              then null else clock_timestamp() end,
           change = case when job.processed + step.done < job.matched then job.change end,
           has_items = job.processed + step.done < job.matched
      from (select *, updated + unchanged + failed as done
              from jsonb_to_recordset(${JSON.stringify(progress)}::jsonb) as sent (
                id text, updated integer, unchanged integer, failed integer, noted integer)) as step
     where job.tenant_id = ${tx.tenantId} and job.id = step.id
    returning ${jobColumns}
  `);
}

export type NotedFailure = JobFailure & { readonly jobId: string; readonly position: number };

/** Failures above the limit are counted, but not stored. */
export async function insertFailures(tx: TenantTx, failures: readonly NotedFailure[]) {
  const kept = failures.filter(({ position }) => position < FAILURES_KEPT_MAX);
  if (kept.length === 0) return;
  await tx.run(sql`
    insert into job_failure (tenant_id, job_id, position, subject, code, message)
    select ${tx.tenantId}, "jobId", position, subject, code, left(message, 500)
      from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as failure (
        "jobId" text, position integer, subject text, code text, message text)
  `);
}

/** Returns undefined if the job does not exist or has ended. */
export async function updateToCancelled(tx: TenantTx, id: string): Promise<Job | undefined> {
  return await tx.maybeOne(sql<Job>`
    update job
       set state = 'cancelled', finished_at = ${tx.now}, change = null
     where tenant_id = ${tx.tenantId} and id = ${id} and state in ('queued', 'running')
    returning ${jobColumns}
  `);
}

export async function deleteJobsBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return await tx.run(sql`
    delete from job
     where (tenant_id, id) in (
       select tenant_id, id from job where finished_at < ${before} and not has_items
        order by finished_at limit ${count})
  `);
}

/** Lists tenants with items to apply, or with items of cancelled jobs to delete. */
export async function listBusyTenants(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ id: string }>`
    select distinct tenant_id as id from job where has_items
  `);
  return rows.map(({ id }) => id);
}
