import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db, JobWithMetadata } from "pg-boss";
import { sql } from "../db/sql.ts";
import type { TenantTx } from "../db/transaction.ts";
import type { JobData } from "./job-boss.ts";
import type { PendingJob } from "./queued-job.ts";

/** Begins the keys of jobs that stand for themselves alone. */
const OWN = "~";
const MINUTE_MS = 60_000;
/** Holders are at their commit, which takes some milliseconds. */
const ASK_MS = 20;

/** What the queue, which always has a key, gets for this job. */
export function queueKeyOf(job: PendingJob, tenantSince: string | undefined): string {
  const { tenantId, options } = job;
  if (options.singletonKey === undefined) return `${OWN}${randomUUID()}`;
  // Neither `:` nor `~` can be in a tenant's id, so the keys of two tenants are never equal.
  // A job of a tenant that has ended must not stand for one of the next tenant of its id.
  const key = `${tenantId}:${tenantSince ?? ""}:${options.singletonKey}`;
  const start = startOf(options);
  return start === undefined ? key : `${key} ${start.toISOString()}`;
}

/** With a key, the next full minute: what is enqueued several times in a row has the same start. */
export function startOf({ singletonKey, startAfter }: PendingJob["options"]): Date | undefined {
  if (startAfter === undefined || singletonKey === undefined) return startAfter;
  return new Date(Math.ceil(startAfter.getTime() / MINUTE_MS) * MINUTE_MS);
}

const lockOf = (queue: string, key: string): string => `job ${queue} ${key}`;

/** From now on, no job with one of these keys begins before this transaction has ended. Call it before the insert. */
export function holdKeys(tx: TenantTx, queue: string, keys: readonly string[]): void {
  const locks = keys.filter((key) => !key.startsWith(OWN)).map((key) => lockOf(queue, key));
  if (locks.length === 0) return;
  tx.defer(sql`
    select pg_advisory_xact_lock_shared(hashtextextended(lock, 0))
      from unnest(${[...new Set(locks)].sort()}::text[]) as lock
  `);
}

/**
 * Waits for the transactions that dropped a job in favour of this one. Call it after the job was taken from the queue
 * and before it begins: nothing is dropped for it any more, so they all hold its key by now. Jobs of schedules have no
 * key.
 */
export async function waitForHolders(
  db: Db,
  { name, singletonKey }: JobWithMetadata<JobData>,
  signal: AbortSignal,
): Promise<void> {
  if (singletonKey === null || singletonKey.startsWith(OWN)) return;
  // Asks again and again, because a statement that waits would hold one of the few connections of the queue, and all
  // who enqueue meanwhile would wait behind it. The lock ends with the statement.
  const ask = "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free";
  for (;;) {
    const { rows } = await db.executeSql(ask, [lockOf(name, singletonKey)]);
    if ((rows[0] as { free: boolean }).free) return;
    await sleep(ASK_MS, undefined, { signal });
  }
}
