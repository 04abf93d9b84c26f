import { randomUUID } from "node:crypto";
import type { JobInsert, PgBoss } from "pg-boss";
import type { CommitStep } from "../db/database.ts";
import type { JobData } from "./job-boss.ts";
import { requirePayload } from "./job-payload.ts";
import type { PendingJob } from "./queued-job.ts";

/**
 * The commit step that writes the jobs of a transaction, one statement per queue. The statement
 * also notifies the workers, so they wake up at the commit without a further message.
 */
export function createEnqueue(boss: PgBoss): CommitStep {
  return async (tx) => {
    const pending = tx.pendingJobs.splice(0);
    if (pending.length === 0) return;
    const db = {
      executeSql: (text: string, values: unknown[] = []) => tx.runText(text, values),
    };
    // What waits must be sent before the jobs in any case.
    await tx.settle();
    const since = tx.tenantSince?.toISOString();
    for (const [queue, jobs] of Map.groupBy(pending, (job) => job.definition.name)) {
      const inserts = jobs.map((job) => toInsert(job, since));
      await boss.insert(queue, inserts, { db });
    }
  };
}

function toInsert(
  { definition, tenantId, payload, options }: PendingJob,
  tenantSince: string | undefined,
): JobInsert<JobData> {
  requirePayload(definition, payload);
  const { startAfter, priority, singletonKey } = options;
  return {
    data: { tenantId, ...(tenantSince !== undefined && { tenantSince }), payload },
    // Neither `:` nor `~` can be in a tenant's id, so the keys of two tenants are never equal.
    // A job of a tenant that has ended must not stand for one of the next tenant of its id.
    singletonKey:
      singletonKey === undefined
        ? `~${randomUUID()}`
        : `${tenantId}:${tenantSince ?? ""}:${singletonKey}`,
    ...(startAfter !== undefined && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}
