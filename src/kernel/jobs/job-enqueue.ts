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
    for (const [queue, jobs] of Map.groupBy(pending, (job) => job.definition.name)) {
      await boss.insert(queue, jobs.map(toInsert), { db });
    }
  };
}

function toInsert({ definition, tenantId, payload, options }: PendingJob): JobInsert<JobData> {
  requirePayload(definition, payload);
  const { startAfter, priority, singletonKey } = options;
  return {
    data: { tenantId, payload },
    // Neither `:` nor `~` can be in a tenant's id, so the keys of two tenants are never equal.
    singletonKey: singletonKey === undefined ? `~${randomUUID()}` : `${tenantId}:${singletonKey}`,
    ...(startAfter !== undefined && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}
