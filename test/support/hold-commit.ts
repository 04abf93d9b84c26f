import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#kernel/db/database.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { TENANT_SIGNAL } from "#src/tenants/tenant.signal.ts";
import type { TestApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

const ALIVE_MS = 50;

export type HeldCommit = {
  /** Resolves when the transaction has written all that it writes, its jobs included. */
  readonly reached: Promise<void>;
  release(): void;
};

/** Keeps the next transaction that is meant from its commit. Call it when the product has started. */
export function holdCommit(
  db: Pick<Database, "addCommitStep">,
  isMeant: (tx: TenantTx) => boolean,
): HeldCommit {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let [isTaken, isReleased] = [false, false];
  db.addCommitStep(async (tx) => {
    if (isTaken || !isMeant(tx)) return;
    isTaken = true;
    await tx.settle();
    resolve();
    // The server ends a transaction that says nothing for long.
    for (; !isReleased; await sleep(ALIVE_MS)) await tx.run(sql`select`);
  });
  return {
    reached,
    release: () => {
      isReleased = true;
    },
  };
}

/** Keeps the next publication of a tenant by this node from its commit. */
export function holdPublication({ runtime }: TestApi, tenantId: string): HeldCommit {
  return holdCommit(
    runtime.db,
    (tx) =>
      tx.tenantId === tenantId &&
      tx.pendingSignals.some(({ channel }) => channel === TENANT_SIGNAL),
  );
}

/**
 * Waits until a job of this queue has been taken, and has come as far as it can: to its end, or to the end of a
 * transaction that is held.
 */
export async function untilTaken(
  { sql: query }: Pick<TestApi, "sql">,
  queue: string,
): Promise<void> {
  await until(async () => {
    const [found] = await query(
      `select exists (select from pgboss.job where name = $1 and state = 'completed') as ended,
              exists (select from pgboss.job where name = $1 and state = 'active')
              and exists (select from pg_stat_activity
                           where application_name = 'billfold jobs' and datname = current_database()
                             and query like '%pg_try_advisory_xact_lock%') as waits`,
      [queue],
    );
    return found?.ended === true || found?.waits === true;
  });
}
