import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** Rows per statement, so that a selection of millions needs no long statement. */
const INSERT_ROWS_MAX = 20_000;
/** Limits a batch if the same subject has many changes. */
const TAKEN_MAX = 2_000;
/** Limits the memory of a batch and the size of a statement. */
const BYTES_MAX = 8 * 1024 * 1024;
const DROPPED_MAX = 20_000;

export type JobItem = {
  /** As text, because the column is a `bigint`. */
  readonly sequence: string;
  readonly jobId: string;
  readonly subject: string;
  /** Null if the change of the job applies. */
  readonly change: unknown;
  readonly delivered: unknown;
  /** Null if any version is accepted. */
  readonly expectedVersion: number | null;
  /** False while the item waits for the answers of sources. */
  readonly isReady: boolean;
};

const itemColumns: Sql<JobItem> = sql<JobItem>`
  sequence, job_id as "jobId", subject, change, delivered, is_ready as "isReady",
  expected_version as "expectedVersion"
`;

export type NewItems = { readonly jobId: string; readonly isReady: boolean };

/** Inserts one item for each `id` of the selection. Returns the number of items. */
export async function insertSelected(
  tx: TenantTx,
  { jobId, isReady }: NewItems,
  selection: Sql<{ id: string }>,
): Promise<number> {
  let total = 0;
  for (let after = ""; ; ) {
    const { count, last } = await tx.one(
      sql.unnamed(sql<{ count: number; last: string | null }>`
        with chosen as materialized (
          select id from (${selection}) as selected where id > ${after} order by id
           limit ${INSERT_ROWS_MAX}
        ), made as (
          insert into job_item (tenant_id, job_id, subject, is_ready)
          select ${tx.tenantId}, ${jobId}, id, ${isReady} from chosen order by id
        )
        select count(*)::int as count, max(id) as last from chosen
      `),
    );
    total += count;
    if (count < INSERT_ROWS_MAX || last === null) return total;
    after = last;
  }
}

export type NewItem = Pick<JobItem, "subject" | "change"> & {
  readonly expectedVersion?: number | undefined;
};

/** Inserts items that have a change of their own, in this order. */
export async function insertItems(
  tx: TenantTx,
  { jobId, isReady }: NewItems,
  items: readonly NewItem[],
): Promise<void> {
  if (items.length === 0) return;
  for (const rows of inPieces(items.map((item, position) => ({ position, ...item })))) {
    await tx.run(sql`
      insert into job_item (tenant_id, job_id, subject, change, expected_version, is_ready)
      select ${tx.tenantId}, ${jobId}, subject, change, "expectedVersion", ${isReady}
        from jsonb_to_recordset(${rows}::jsonb) as item (
          position integer, subject text, change jsonb, "expectedVersion" integer)
       order by position
    `);
  }
}

/** Returns the rows as JSON arrays of limited size. */
function* inPieces(rows: Iterable<object>): Generator<string> {
  let piece: string[] = [];
  let size = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    piece.push(text);
    size += text.length;
    if (size < BYTES_MAX) continue;
    yield `[${piece.join()}]`;
    piece = [];
    size = 0;
  }
  if (piece.length > 0) yield `[${piece.join()}]`;
}

/**
 * An item must not overtake an earlier item of the same subject that waits for sources. The
 * function `next_job_items` has the same condition for all subjects of a tenant.
 */
const IS_NEXT = sql`
  item.is_ready and not exists (
    select from job_item as earlier
     where earlier.tenant_id = item.tenant_id
       and earlier.subject = item.subject
       and earlier.sequence < item.sequence
       and not earlier.is_ready)
`;

export type NextSubjects = { readonly subjects: readonly string[]; readonly hasMore: boolean };

const ITEM_BYTES = sql`
  coalesce(octet_length(item.change::text), 0) + coalesce(octet_length(item.delivered::text), 0)
`;

/** Lists the subjects of the oldest items that are ready. */
export async function listNextSubjects(tx: TenantTx, count: number): Promise<NextSubjects> {
  const rows = await tx.many(sql<{ subject: string; bytes: number }>`
    select subject, ${ITEM_BYTES} as bytes
      from next_job_items(${tx.tenantId}, ${count}) as item
  `);
  let bytes = 0;
  const subjects = new Set<string>();
  for (const row of rows) {
    if (bytes >= BYTES_MAX) break;
    subjects.add(row.subject);
    bytes += row.bytes;
  }
  return { subjects: [...subjects], hasMore: rows.length === count || bytes >= BYTES_MAX };
}

/** Deletes and returns items in order. The caller must apply them in the same transaction. */
export function takeItems(tx: TenantTx, subjects: readonly string[]): Promise<JobItem[]> {
  return take(tx, subjects, IS_NEXT);
}

/** Also takes items that wait for sources. Call it until it returns none. */
export function takeAnyItems(tx: TenantTx, subjects: readonly string[]): Promise<JobItem[]> {
  return take(tx, subjects, sql`true`);
}

async function take(tx: TenantTx, subjects: readonly string[], condition: Sql): Promise<JobItem[]> {
  return await tx.many(sql<JobItem>`
    with first as materialized (
      select item.sequence, ${ITEM_BYTES} as bytes
        from job_item as item
       where item.tenant_id = ${tx.tenantId}
         and item.subject = any(${subjects}::text[])
         and ${condition}
       order by item.sequence
       limit ${TAKEN_MAX}
    ), chosen as (
      select sequence, sum(bytes) over (order by sequence) - bytes as bytes_before from first
    ), taken as (
      delete from job_item
       where tenant_id = ${tx.tenantId}
         and sequence = any (array(
               select sequence from chosen where bytes_before < ${BYTES_MAX}))
      returning ${itemColumns}
    )
    select * from taken order by sequence
  `);
}

/** For so many seconds of the database clock, no other process claims these items. */
export async function claimWaiting(
  tx: TenantTx,
  count: number,
  claimSeconds: number,
): Promise<JobItem[]> {
  return await tx.many(sql<JobItem>`
    update job_item
       set claimed_until = now() + make_interval(secs => ${claimSeconds})
     where tenant_id = ${tx.tenantId}
       and sequence = any (array(select waiting_job_items(${tx.tenantId}, now(), ${count})))
    returning ${itemColumns}
  `);
}

/** Stores the answers of sources. Returns the items that were waiting until now. */
export async function updateToReady(
  tx: TenantTx,
  delivered: readonly { readonly sequence: string; readonly delivered: unknown }[],
): Promise<Set<string>> {
  const rows = await tx.many(sql<{ sequence: string }>`
    update job_item
       set is_ready = true, delivered = sent.delivered, claimed_until = null
      from jsonb_to_recordset(${JSON.stringify(delivered)}::jsonb) as sent (
             sequence bigint, delivered jsonb)
     where job_item.tenant_id = ${tx.tenantId}
       and job_item.sequence = sent.sequence
       and not job_item.is_ready
    returning job_item.sequence
  `);
  return new Set(rows.map(({ sequence }) => sequence));
}

/** Deletes a limited number of items of cancelled jobs. Returns true if there may be more. */
export async function deleteCancelled(tx: TenantTx): Promise<boolean> {
  const cancelled = await tx.many(sql<{ id: string }>`
    select id from job where tenant_id = ${tx.tenantId} and has_items and state = 'cancelled'
  `);
  if (cancelled.length === 0) return false;
  const ids = cancelled.map(({ id }) => id);
  const count = await tx.run(sql`
    delete from job_item
     where tenant_id = ${tx.tenantId}
       and sequence = any (array(
         select sequence from job_item
          where tenant_id = ${tx.tenantId} and job_id = any(${ids}::text[])
          order by sequence
          limit ${DROPPED_MAX}
            for update skip locked))
  `);
  if (count === DROPPED_MAX) return true;
  await tx.run(sql`
    update job
       set has_items = exists (
             select from job_item
              where job_item.tenant_id = job.tenant_id and job_item.job_id = job.id)
     where tenant_id = ${tx.tenantId} and id = any(${ids}::text[])
  `);
  return false;
}
