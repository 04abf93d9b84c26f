import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { firstIdOf } from "#kernel/ids.ts";
import { EXECUTION_ID_PREFIX } from "../executions/execution.schema.ts";
import type { FileLine } from "../kinds.port.ts";

/** An execution and the claim under which a process runs it. */
export type Holder = { readonly id: string; readonly token: string };

/** Begins the file anew. The parts of an earlier attempt must be deleted already. */
export async function replaceFile(tx: TenantTx, holder: Holder, name: string): Promise<void> {
  await tx.run(sql`
    update task_execution
       set file_name = ${name}, file_rows = 0, file_bytes = 0, has_parts = true,
           lines_checked = true
     where tenant_id = ${tx.tenantId} and id = ${holder.id} and claim = ${holder.token}
  `);
}

/** Hides all files of the task but the newest ones. */
export async function hideFormerFiles(
  tx: TenantTx,
  holder: Holder,
  keptMax: number,
): Promise<void> {
  await tx.run(sql`
    update task_execution
       set file_name = null
     where tenant_id = ${tx.tenantId}
       and id in (
             select former.id
               from task_execution as own
               join task_execution as former
                 on former.tenant_id = own.tenant_id
                and former.task_id = own.task_id
                and former.id < own.id
              where own.tenant_id = ${tx.tenantId}
                and own.id = ${holder.id}
                and own.claim = ${holder.token}
                and former.has_parts
                and former.file_name is not null
              order by former.id desc
             offset ${keptMax})
  `);
}

export type NewPart = {
  readonly position: number;
  readonly lines: readonly FileLine[];
  /** How many of the lines count as rows. */
  readonly rows: number;
  readonly sizeBytes: number;
};

/** Writes nothing if another process has claimed the execution meanwhile. */
export async function insertPart(
  tx: TenantTx,
  holder: Holder,
  { position, lines, rows, sizeBytes }: NewPart,
): Promise<void> {
  const keys = lines.map(({ key }) => key);
  await tx.run(sql`
    with counted as (
      update task_execution
         set file_rows = file_rows + ${rows}, file_bytes = file_bytes + ${sizeBytes}
       where tenant_id = ${tx.tenantId} and id = ${holder.id} and claim = ${holder.token}
      returning id
    )
    insert into task_file_part (tenant_id, execution_id, position, keys, lines, first_key, last_key)
    select ${tx.tenantId}, id, ${position}, ${keys}::text[], ${lines.map(({ line }) => line)}::text[],
           range.first, range.last
      from counted,
           (select min(key collate "C") as first, max(key collate "C") as last
              from unnest(${keys}::text[]) as key) as range
  `);
}

const erasures = (tx: TenantTx) => `task.files ${tx.tenantId}`;

/**
 * Waits for the erasures under way, and lets others wait until the commit. Without it, a line could be
 * written about something that is erased at the same moment, and would stay.
 */
export async function lockOutErasures(tx: TenantTx): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${erasures(tx)}, 0))`);
}

export async function findPart(
  context: TenantContext,
  executionId: string,
  position: number,
): Promise<readonly string[] | undefined> {
  const rows = await context.read(sql<{ lines: string[] }>`
    select lines
      from task_file_part
     where tenant_id = ${context.tenantId}
       and execution_id = ${executionId}
       and position = ${position}
  `);
  return rows[0]?.lines;
}

/** Deletes the lines about these keys from all files of the tenant. */
export async function deleteLines(tx: TenantTx, keys: readonly string[]): Promise<void> {
  tx.defer(sql`select pg_advisory_xact_lock_shared(hashtextextended(${erasures(tx)}, 0))`);
  const parts = await lockPartsWith(tx, keys);
  if (parts.length > 0) await deleteLinesOf(tx, parts, keys);
}

export type Place = { readonly executionId: string; readonly position: number };

/**
 * Locks the parts with these keys, and their executions. A statement of its own: erasures of the same
 * moment change the same parts, and one that had computed what is left before it got the lock would
 * write back the lines that the others have deleted. Every erasure locks in this order, so none waits
 * in a circle.
 */
function lockPartsWith(tx: TenantTx, keys: readonly string[]): Promise<Place[]> {
  return tx.many(sql<Place>`
    -- Looked up by the range first, and by themselves: the long lists are then read of a few parts. Of
    -- twenty thousand parts, reading them all took 1.4 seconds.
    with near as materialized (
      select execution_id, position
        from task_file_part as part
       where tenant_id = ${tx.tenantId}
         and exists (
               select from unnest(${keys}::text[]) as gone (key)
                where gone.key collate "C" between part.first_key and part.last_key)
    )
    select part.execution_id as "executionId", part.position
      from near
      join task_file_part as part
        on part.tenant_id = ${tx.tenantId}
       and part.execution_id = near.execution_id
       and part.position = near.position
      join task_execution as execution
        on execution.tenant_id = ${tx.tenantId} and execution.id = part.execution_id
     where part.keys && ${keys}::text[]
     order by part.execution_id, part.position
       for no key update of execution
       for update of part
  `);
}

/** The parts must be locked. */
export async function deleteLinesOf(
  tx: TenantTx,
  parts: readonly Place[],
  keys: readonly string[],
): Promise<void> {
  await tx.run(sql`
    with found as materialized (
      select execution_id, position, kept.keys, kept.lines, kept.rows, kept.bytes
        from unnest(${parts.map(({ executionId }) => executionId)}::text[],
                    ${parts.map(({ position }) => position)}::integer[])
             as locked (execution_id, position)
        join task_file_part as part using (execution_id, position)
       cross join lateral (
             select coalesce(array_agg(key order by at) filter (where not is_gone), '{}') as keys,
                    coalesce(array_agg(line order by at) filter (where not is_gone), '{}') as lines,
                    count(*) filter (where is_gone)::int as rows,
                    coalesce(sum(octet_length(line)) filter (where is_gone), 0) as bytes
               from (select key, line, at, key = any(${keys}::text[]) as is_gone
                       from unnest(part.keys, part.lines) with ordinality as one (key, line, at)
                    ) as each) as kept
       where part.tenant_id = ${tx.tenantId}
    ), changed as (
      update task_file_part as part
         set keys = found.keys, lines = found.lines
        from found
       where part.tenant_id = ${tx.tenantId}
         and part.execution_id = found.execution_id
         and part.position = found.position
    )
    update task_execution as execution
       set file_rows = file_rows - gone.rows, file_bytes = file_bytes - gone.bytes
      from (select execution_id, sum(rows) as rows, sum(bytes) as bytes
              from found group by execution_id) as gone
     where execution.tenant_id = ${tx.tenantId} and execution.id = gone.execution_id
  `);
}

/** Hides the files of executions that failed, or that were made before then. */
export async function hideFilesBefore(tx: TenantTx, before: Date): Promise<void> {
  await tx.run(sql`
    update task_execution
       set file_name = null
     where tenant_id = ${tx.tenantId}
       and has_parts
       and file_name is not null
       and status <> 'running'
       and (status = 'failed' or id < ${firstIdOf(EXECUTION_ID_PREFIX, before)})
  `);
}

/** An execution with contents of a file that is no longer shown. */
export async function findHiddenFile(context: TenantContext): Promise<string | undefined> {
  const rows = await context.read(sql<{ id: string }>`
    select id
      from task_execution
     where tenant_id = ${context.tenantId}
       and has_parts
       and file_name is null
       and status <> 'running'
     limit 1
  `);
  return rows[0]?.id;
}

/** Deletes a limited number of parts: a file may have a gigabyte. */
export async function deleteParts(tx: TenantTx, id: string, count: number): Promise<number> {
  return await tx.run(sql`
    delete from task_file_part
     where tenant_id = ${tx.tenantId}
       and execution_id = ${id}
       and position in (
             select position
               from task_file_part
              where tenant_id = ${tx.tenantId} and execution_id = ${id}
              -- As erasures lock them: otherwise each could wait for the other.
              order by position
              limit ${count}
                for update)
  `);
}

/** Notes that nothing is left of a file that is no longer shown. */
export async function updateToGone(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`
    update task_execution
       set has_parts = false
     where tenant_id = ${tx.tenantId} and id = ${id} and file_name is null
  `);
}
