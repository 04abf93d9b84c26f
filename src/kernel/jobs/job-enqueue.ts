import { randomUUID } from "node:crypto";
import type { JobInsert, PgBoss } from "pg-boss";
import type { CommitStep } from "../db/database.ts";
import type { PendingJob } from "./define.ts";
import type { JobData } from "./job-boss.ts";
import { requirePayload } from "./job-payload.ts";

/**
 * The commit step that writes what a transaction enqueued, one statement per queue. The statement
 * itself notifies the workers, so the wake-up comes with the commit and costs no message of its own.
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
    // Neither `:` nor `~` can stand in a tenant's id: keys of two tenants never meet.
    singletonKey: singletonKey === undefined ? `~${randomUUID()}` : `${tenantId}:${singletonKey}`,
    ...(startAfter !== undefined && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}
