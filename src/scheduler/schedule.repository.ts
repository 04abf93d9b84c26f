import type { SystemContext, TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { TaskKindName } from "./schedule.settings.ts";

export type PlannedTask = {
  readonly taskId: string;
  readonly kind: TaskKindName;
  readonly cron: string;
  readonly timeZone: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly timeLimitSeconds: number;
  /** Null while the task is disabled. */
  readonly nextRunAt: Date | null;
};

const plannedColumns: Sql<PlannedTask> = sql<PlannedTask>`
  task.task_id as "taskId", task.kind, task.cron, task.time_zone as "timeZone", task.settings,
  task.time_limit_seconds as "timeLimitSeconds", task.next_run_at as "nextRunAt"
`;

/** Notes that the tasks may have changed; whoever plans next looks at them. */
export function markPublished(tx: TenantTx, version: number): void {
  tx.defer(sql`
    insert into schedule (tenant_id, published_version, published_at)
    values (${tx.tenantId}, ${version}, ${tx.now})
    on conflict (tenant_id) do update
       set published_version = excluded.published_version, published_at = excluded.published_at
  `);
}

/** For a tenant that ends: nothing of it is due any more. */
export function deleteSchedule(tx: TenantTx): void {
  tx.defer(sql`delete from schedule where tenant_id = ${tx.tenantId}`);
  tx.defer(sql`delete from scheduled_task where tenant_id = ${tx.tenantId}`);
}

export async function isStale(context: TenantContext): Promise<boolean> {
  const rows = await context.read(sql`
    select from schedule
     where tenant_id = ${context.tenantId} and planned_version < published_version
  `);
  return rows.length > 0;
}

export type StaleSchedule = { readonly publishedAt: Date | null };

/** Undefined if the tasks are those of this version already, or a newer one was published. */
export function lockStale(tx: TenantTx, version: number): Promise<StaleSchedule | undefined> {
  return tx.maybeOne(sql<StaleSchedule>`
    select published_at as "publishedAt" from schedule
     where tenant_id = ${tx.tenantId}
       and planned_version < published_version
       and published_version <= ${version}
       for update
  `);
}

export function listPlanned(tx: TenantTx): Promise<PlannedTask[]> {
  return tx.many(sql<PlannedTask>`
    select ${plannedColumns} from scheduled_task as task where tenant_id = ${tx.tenantId} for update
  `);
}

export type NewPlan = Omit<PlannedTask, "taskId"> & { readonly id: string };

export async function replacePlanned(
  tx: TenantTx,
  tasks: readonly NewPlan[],
  version: number,
): Promise<void> {
  const ids = tasks.map(({ id }) => id);
  await tx.run(sql`
    delete from scheduled_task where tenant_id = ${tx.tenantId} and task_id <> all(${ids}::text[])
  `);
  await tx.run(sql`
    insert into scheduled_task (tenant_id, task_id, kind, cron, time_zone, settings,
                                time_limit_seconds, next_run_at)
    select ${tx.tenantId}, id, kind, cron, "timeZone", settings, "timeLimitSeconds", "nextRunAt"
      from jsonb_to_recordset(${JSON.stringify(tasks)}::jsonb) as task (
             id text, kind text, cron text, "timeZone" text, settings jsonb,
             "timeLimitSeconds" integer, "nextRunAt" timestamptz)
        on conflict (tenant_id, task_id) do update
       set kind = excluded.kind,
           cron = excluded.cron,
           time_zone = excluded.time_zone,
           settings = excluded.settings,
           time_limit_seconds = excluded.time_limit_seconds,
           next_run_at = excluded.next_run_at
  `);
  await tx.run(sql`
    update schedule set planned_version = ${version} where tenant_id = ${tx.tenantId}
  `);
}

/**
 * Tasks that are due and not running, locked. Another process that plans them at this moment has them
 * locked, and they are left to it.
 */
export function listDueForUpdate(tx: TenantTx): Promise<PlannedTask[]> {
  return tx.many(sql<PlannedTask>`
    select ${plannedColumns}
      from scheduled_task as task
     where tenant_id = ${tx.tenantId}
       and next_run_at <= ${tx.now}
       and not exists (
             select from task_execution as execution
              where execution.tenant_id = task.tenant_id
                and execution.task_id = task.task_id
                and execution.status = 'running')
     order by next_run_at, task_id
       for update skip locked
  `);
}

export type Advance = {
  readonly taskId: string;
  readonly scheduledFor: Date;
  readonly nextRunAt: Date | null;
};

/** Only tasks whose run is there: another one may have been started by hand at the same moment. */
export async function updateNextRuns(tx: TenantTx, advances: readonly Advance[]): Promise<void> {
  await tx.run(sql`
    update scheduled_task as task
       set next_run_at = sent."nextRunAt"
      from jsonb_to_recordset(${JSON.stringify(advances)}::jsonb) as sent (
             "taskId" text, "scheduledFor" timestamptz, "nextRunAt" timestamptz)
     where task.tenant_id = ${tx.tenantId}
       and task.task_id = sent."taskId"
       and exists (
             select from task_execution as execution
              where execution.tenant_id = task.tenant_id
                and execution.task_id = task.task_id
                and execution.scheduled_for = sent."scheduledFor")
  `);
}

type TaskPlace = { readonly tenantId: string; readonly taskId: string };
export type TaskOfTenant = PlannedTask & TaskPlace;

/** Comes before all tasks. */
export const FIRST_TASK: TaskPlace = { tenantId: "", taskId: "" };

/** Tasks of all tenants that are not disabled, in the order of their ids. */
export function listTasksAfter(
  context: SystemContext,
  { tenantId, taskId }: TaskPlace,
  count: number,
): Promise<TaskOfTenant[]> {
  return context.read(sql<TaskOfTenant>`
    select tenant_id as "tenantId", ${plannedColumns}
      from scheduled_task as task
     where (tenant_id, task_id) > (${tenantId}, ${taskId}) and next_run_at is not null
     order by tenant_id, task_id
     limit ${count}
  `);
}

/** Only if nobody has planned the task anew meanwhile. */
export async function updateNextRun(
  tx: TenantTx,
  { taskId, nextRunAt }: PlannedTask,
  at: Date,
): Promise<void> {
  await tx.run(sql`
    update scheduled_task
       set next_run_at = ${at}
     where tenant_id = ${tx.tenantId} and task_id = ${taskId} and next_run_at = ${nextRunAt}
  `);
}
