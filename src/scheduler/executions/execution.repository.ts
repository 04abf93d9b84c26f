import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { listTenantsIn } from "#kernel/db/tenants-in.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { firstIdOf } from "#kernel/ids.ts";
import {
  EXECUTION_ID_PREFIX,
  type Execution,
  type ExecutionProblem,
  ExecutionStatus,
  ExecutionTrigger,
  LOGS_MAX,
  type LogLine,
  presentExecution,
} from "./execution.schema.ts";

const executionColumns: Sql<Execution> = sql<Execution>`
  id, task_id as "taskId", kind, settings, time_limit_seconds as "timeLimitSeconds", status, trigger,
  scheduled_for as "scheduledFor", created_by as "createdBy", started_at as "startedAt",
  finished_at as "finishedAt", summary, counts, problem, attempts, log_count as "logCount",
  file_name as "fileName", file_rows as "fileRows", file_bytes::text as "fileBytes"
`;

const { status, trigger } = { status: ExecutionStatus.enum, trigger: ExecutionTrigger.enum };

export const EXECUTION_LIST: ListSpec = {
  fields: {
    executionId: { sql: "id", type: "id", nullable: false },
    taskId: { sql: "task_id", type: "text", nullable: false, sortable: false },
    kind: { sql: "kind", type: "text", nullable: false, sortable: false },
    status: { sql: "status", type: "text", values: status, nullable: false, sortable: false },
    trigger: { sql: "trigger", type: "text", values: trigger, nullable: false, sortable: false },
    scheduledFor: { sql: "scheduled_for", type: "timestamp", sortable: false },
    startedAt: { sql: "started_at", type: "timestamp", sortable: false },
    finishedAt: { sql: "finished_at", type: "timestamp", sortable: false },
  },
  id: "executionId",
  paging: "always",
  defaultSort: [{ field: "executionId", direction: "DESC" }],
};

/** Of one task, or of all tasks. */
export function listExecutions(
  context: TenantContext,
  input: ListInput,
  taskId?: string,
): Promise<Answer> {
  const ofTask = taskId === undefined ? sql`` : sql`and task_id = ${taskId}`;
  return listPage(
    context,
    {
      columns: executionColumns,
      from: sql`task_execution`,
      where: sql`tenant_id = ${context.tenantId} ${ofTask}`,
      spec: EXECUTION_LIST,
      present: presentExecution,
    },
    input,
  );
}

export async function findExecution(
  context: TenantContext,
  taskId: string,
  id: string,
): Promise<Execution | undefined> {
  const rows = await context.read(sql<Execution>`
    select ${executionColumns}
      from task_execution
     where tenant_id = ${context.tenantId} and id = ${id} and task_id = ${taskId}
  `);
  return rows[0];
}

export async function hasExecutions(context: TenantContext, taskId: string): Promise<boolean> {
  const rows = await context.read(sql`
    select from task_execution
     where tenant_id = ${context.tenantId} and task_id = ${taskId}
     limit 1
  `);
  return rows.length > 0;
}

/** The newest execution of each of these tasks. */
export function listLastExecutions(
  context: TenantContext,
  taskIds: readonly string[],
): Promise<Execution[]> {
  return context.read(sql<Execution>`
    select last.*
      from unnest(${taskIds}::text[]) as task (wanted_id)
     cross join lateral (
           select ${executionColumns}
             from task_execution
            where tenant_id = ${context.tenantId} and task_id = task.wanted_id
            order by id desc
            limit 1) as last
  `);
}

export function listLogs(context: TenantContext, id: string): Promise<LogLine[]> {
  return context.read(sql<LogLine>`
    select time, level, message, data
      from task_log
     where tenant_id = ${context.tenantId} and execution_id = ${id}
     order by position
     limit ${LOGS_MAX}
  `);
}

export type NewExecution = Pick<
  Execution,
  "id" | "taskId" | "kind" | "settings" | "timeLimitSeconds" | "trigger"
> & { readonly scheduledFor: Date | null };

/**
 * Inserts executions that wait for a worker, and returns them. One whose task is running, or whose
 * time has its run already, is left out.
 */
export function insertExecutions(
  tx: TenantTx,
  executions: readonly NewExecution[],
): Promise<Execution[]> {
  return tx.many(sql<Execution>`
    insert into task_execution (tenant_id, id, task_id, kind, settings, time_limit_seconds, trigger,
                                scheduled_for, created_at, created_by)
    select ${tx.tenantId}, id, "taskId", kind, settings, "timeLimitSeconds", trigger,
           "scheduledFor", ${tx.now}, ${tx.origin.actor.id}
      from jsonb_to_recordset(${JSON.stringify(executions)}::jsonb) as sent (
             id text, "taskId" text, kind text, settings jsonb, "timeLimitSeconds" integer,
             trigger text, "scheduledFor" timestamptz)
        on conflict do nothing
    returning ${executionColumns}
  `);
}

/** Tenants with tasks to plan. */
export async function listTenantsToPlan(context: SystemContext): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select tenant_id as "tenantId" from schedule where planned_version < published_version
     union
    select tenant_id
      from scheduled_task as task
     where next_run_at <= ${context.clock.now()}
       and not exists (
             select from task_execution as execution
              where execution.tenant_id = task.tenant_id
                and execution.task_id = task.task_id
                and execution.status = 'running')
  `);
  return rows.map(({ tenantId }) => tenantId);
}

/** A claim ends by the database's clock, which all processes share. */
const IS_FREE = sql`status = 'running' and (claimed_until is null or claimed_until <= now())`;

export type WantedRuns = {
  /** Whether runs that mostly wait are wanted, or the others. */
  readonly waits: boolean;
  /** The kinds whose runs mostly wait. */
  readonly waitingKinds: readonly string[];
  /** Tenants that may run no more at this time. */
  readonly fullTenants: readonly string[];
  readonly count: number;
};

/** Tenants with executions that wait for a worker, those that have waited longest first. */
export async function listTenantsToRun(
  context: SystemContext,
  { waits, waitingKinds, fullTenants, count }: WantedRuns,
): Promise<string[]> {
  const rows = await context.read(sql<{ tenantId: string }>`
    select tenant_id as "tenantId"
      from task_execution
     where ${IS_FREE}
       and (kind = any(${waitingKinds}::text[])) = ${waits}
       and tenant_id <> all(${fullTenants}::text[])
     group by tenant_id
     order by min(id)
     limit ${count}
  `);
  return rows.map(({ tenantId }) => tenantId);
}

export type ClaimedExecution = Execution & {
  /** What an earlier attempt noted. */
  readonly progress: unknown;
};

export type Claim = {
  readonly token: string;
  readonly seconds: number;
  /** Whether runs that wait, runs that work, or both are wanted. */
  readonly lanes: readonly boolean[];
  readonly waitingKinds: readonly string[];
};

/**
 * The claim counts from this statement on, and not from the beginning of the transaction: the process
 * measures it from just before this statement, and must never believe in it for longer than others do.
 */
export async function claimExecution(
  tx: TenantTx,
  { token, seconds, lanes, waitingKinds }: Claim,
): Promise<ClaimedExecution | undefined> {
  return await tx.maybeOne(sql<ClaimedExecution>`
    update task_execution
       set claim = ${token},
           claimed_until = clock_timestamp() + make_interval(secs => ${seconds}),
           started_at = coalesce(started_at, ${tx.now}),
           attempts = attempts + 1
     where tenant_id = ${tx.tenantId}
       and id = (
             select id
               from task_execution
              where tenant_id = ${tx.tenantId}
                and ${IS_FREE}
                and (kind = any(${waitingKinds}::text[])) = any(${lanes}::boolean[])
              order by id
              limit 1
                for update skip locked)
    returning ${executionColumns}, progress
  `);
}

/** Returns the tokens of the claims that are still there. */
export async function renewClaims(
  tx: TenantTx,
  tokens: readonly string[],
  seconds: number,
): Promise<Set<string>> {
  const rows = await tx.many(sql<{ claim: string }>`
    update task_execution
       set claimed_until = now() + make_interval(secs => ${seconds})
     where status = 'running' and claim = any(${tokens}::uuid[])
    returning claim
  `);
  return new Set(rows.map(({ claim }) => claim));
}

/** An execution and the claim under which a process runs it. */
export type Held = { readonly id: string; readonly token: string };

/** False if another process has claimed the execution meanwhile, or it was ended. */
export async function isHeld(tx: TenantTx, { id, token }: Held): Promise<boolean> {
  const rows = await tx.many(sql`
    select from task_execution
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${token} and status = 'running'
  `);
  return rows.length > 0;
}

/**
 * For a process that slept or could not reach the database, and lost its claim: its attempt does not
 * count, because only processes that die are counted. If nobody has claimed the execution since, it is free at once.
 * False if another transaction has the row at this moment: the caller has to try again.
 */
export async function forgiveAttempt(tx: TenantTx, { id, token }: Held): Promise<boolean> {
  const count = await tx.run(sql`
    update task_execution
       set attempts = greatest(attempts - 1, 0),
           claimed_until = case when claim = ${token} then null else claimed_until end,
           claim = nullif(claim, ${token})
     where tenant_id = ${tx.tenantId}
       and id = (
             select id
               from task_execution
              where tenant_id = ${tx.tenantId} and id = ${id} and status = 'running'
                for update skip locked)
  `);
  if (count > 0) return true;
  const locked = await tx.many(sql`
    select from task_execution
     where tenant_id = ${tx.tenantId} and id = ${id} and status = 'running'
  `);
  return locked.length === 0;
}

/** The process stops: another one may go on at once, and this attempt does not count. */
export async function releaseExecution(tx: TenantTx, { id, token }: Held): Promise<void> {
  await tx.run(sql`
    update task_execution
       set claim = null, claimed_until = null, attempts = attempts - 1
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${token} and status = 'running'
  `);
}

export type ExecutionEnd = Pick<Execution, "summary" | "counts" | "problem"> & {
  readonly status: "succeeded" | "failed";
};

/** Undefined if another process has claimed the execution meanwhile, or ended it. */
export async function endExecution(
  tx: TenantTx,
  { id, token }: Held,
  end: ExecutionEnd,
): Promise<Execution | undefined> {
  return await tx.maybeOne(sql<Execution>`
    update task_execution
       set status = ${end.status},
           summary = ${end.summary},
           counts = ${JSON.stringify(end.counts)}::jsonb,
           problem = ${end.problem === null ? null : JSON.stringify(end.problem)}::jsonb,
           finished_at = ${tx.now},
           claim = null,
           claimed_until = null,
           progress = null
     where tenant_id = ${tx.tenantId} and id = ${id} and claim = ${token} and status = 'running'
    returning ${executionColumns}
  `);
}

/** For a tenant that ends. */
export function endRunning(tx: TenantTx, problem: ExecutionProblem): void {
  tx.defer(sql`
    update task_execution
       set status = 'failed',
           summary = ${problem.message},
           problem = ${JSON.stringify(problem)}::jsonb,
           finished_at = ${tx.now},
           claim = null,
           claimed_until = null,
           progress = null
     where tenant_id = ${tx.tenantId} and status = 'running'
  `);
}

export async function noteProgress(tx: TenantTx, held: Held, progress: unknown): Promise<void> {
  await tx.run(sql`
    update task_execution
       set progress = ${JSON.stringify(progress)}::jsonb
     where tenant_id = ${tx.tenantId} and id = ${held.id} and claim = ${held.token}
  `);
}

/** Adds one line, unless there are so many already, or another process has the claim. */
export async function insertLog(tx: TenantTx, held: Held, line: LogLine): Promise<void> {
  await tx.run(sql`
    with counted as (
      update task_execution
         set log_count = log_count + 1
       where tenant_id = ${tx.tenantId} and id = ${held.id} and claim = ${held.token}
         and log_count < ${LOGS_MAX}
      returning id, log_count
    )
    insert into task_log (tenant_id, execution_id, position, time, level, message, data)
    select ${tx.tenantId}, id, log_count, ${line.time}, ${line.level}, ${line.message},
           ${line.data === null ? null : JSON.stringify(line.data)}::jsonb
      from counted
  `);
}

/** Deletes a limited number of executions without files that were made before then, with their logs. */
export function deleteExecutionsBefore(tx: TenantTx, before: Date, count: number): Promise<number> {
  return tx.run(sql`
    delete from task_execution
     where tenant_id = ${tx.tenantId}
       and id in (
             select id
               from task_execution
              where tenant_id = ${tx.tenantId}
                and id < ${firstIdOf(EXECUTION_ID_PREFIX, before)}
                and status <> 'running'
                and not has_parts
              order by id
              limit ${count})
  `);
}

export function listTenantsWithExecutions(context: SystemContext): Promise<string[]> {
  return listTenantsIn(context, sql`task_execution`);
}
