import type { JobInsert, PgBoss } from "pg-boss";
import type { CommitStep } from "../db/database.ts";
import type { JobData } from "./job-boss.ts";
import { holdKeys, queueKeyOf, startOf } from "./job-key.ts";
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
    const queues = Map.groupBy(pending, (job) => job.definition.name);
    const inserts = [...queues].map(
      ([queue, jobs]) => [queue, jobs.map((job) => toInsert(job, since))] as const,
    );
    for (const [queue, jobs] of inserts) {
      holdKeys(
        tx,
        queue,
        jobs.map(({ singletonKey }) => singletonKey),
      );
    }
    for (const [queue, jobs] of inserts) await boss.insert(queue, jobs, { db });
  };
}

type KeyedInsert = JobInsert<JobData> & { readonly singletonKey: string };

function toInsert(job: PendingJob, tenantSince: string | undefined): KeyedInsert {
  const { definition, tenantId, payload, options } = job;
  requirePayload(definition, payload);
  const startAfter = startOf(options);
  const { priority } = options;
  return {
    data: { tenantId, ...(tenantSince !== undefined && { tenantSince }), payload },
    singletonKey: queueKeyOf(job, tenantSince),
    ...(startAfter !== undefined && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}
