import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import { systemCall } from "#kernel/call.ts";
import type { SystemContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import * as erasure from "./erasure.repository.ts";
import { deleteRowsOf, hasRowsOf, listTenantTables } from "./erasure-tables.service.ts";

const BATCH_ROWS = 2_000;
const FOREIGN_KEY_VIOLATION = "23503";
/** Longer than the database lets a transaction stay open. */
const WRITERS_SECONDS_MAX = 60;
const LOOK_MS = 50;

/**
 * Erases every row of a deleted tenant, in all tables. The id can be used again when the row of the
 * tenant itself is gone, and that row goes in the transaction that finds no other.
 *
 * Runs as the system, because the audit trail of the tenant is erased too, and because the tenant has no
 * transactions any more.
 */
export const eraseTenant = defineJob({
  name: "tenant.erase",
  payload: Type.Object({ tenantId: Type.String() }),
  timeoutSeconds: 3_600,
  retries: 100,
  async run({ runtime }, { tenantId }, signal) {
    const context = systemCall(runtime, "tenant.erase");
    const tenant = await erasure.findEndedTenant(context, tenantId);
    if (tenant === undefined) return;
    await waitForWriters(context, tenant, signal);
    await inTenant(context, tenant, (tx) => erasure.keepDeletion(tx, tenant));
    const tables = await listTenantTables(context);
    do await eraseTables(context, tenant, tables, signal);
    while (!(await endErasure(context, tenant, tables)));
  },
});

const OVERDUE_MS = 2 * 3_600_000;

/** For erasures that failed for good, or whose job was lost with a restored database. */
export const resumeErasures = defineJob({
  name: "tenant.resume-erasures",
  payload: Type.Object({}),
  cron: "37 * * * *",
  concurrency: 1,
  async run(context) {
    const before = new Date(context.clock.now().getTime() - OVERDUE_MS);
    for (const tenantId of await erasure.listEndedBefore(context, before)) {
      context.log.warn({ tenantId }, "the erasure of a tenant is overdue and begins again");
      const options = { singletonKey: `erase ${tenantId}` };
      await context.transaction(async (tx) => tx.enqueue(eraseTenant, { tenantId }, options));
    }
  },
});

/** Transactions that began before the end of the tenant may still insert rows. */
async function waitForWriters(
  context: SystemContext,
  tenant: erasure.EndedTenant,
  signal: AbortSignal,
): Promise<void> {
  const latest = performance.now() + WRITERS_SECONDS_MAX * 1_000;
  while (!(await context.transaction((tx) => erasure.hasNoWriters(tx, tenant)))) {
    if (performance.now() > latest) throw new Error("The tenant still has transactions.");
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Another run may have erased the tenant meanwhile, and its id may belong to the next one. */
async function inTenant<Result>(
  context: SystemContext,
  tenant: erasure.EndedTenant,
  work: (tx: TenantTx) => Promise<Result>,
): Promise<Result> {
  return await context.transaction(async (tx) => {
    if (!(await erasure.lockEndedTenant(tx, tenant))) {
      throw new Error("The tenant was erased by another run.");
    }
    return await work(tx);
  });
}

/** Deletes until a round finds nothing: the service's own work updates rows, and rows that move are missed. */
async function eraseTables(
  context: SystemContext,
  tenant: erasure.EndedTenant,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let total = -1; total !== 0; ) {
    total = 0;
    const held: string[] = [];
    for (const table of tables) {
      const count = await eraseTable(context, tenant, table, signal);
      if (count === undefined) held.push(table);
      else total += count;
    }
    if (total === 0 && held.length > 0) throw new Error(`Rows of ${held.join(", ")} are held.`);
  }
}

/** Undefined if rows of other tables still refer to rows of this one; those tables are erased first. */
async function eraseTable(
  context: SystemContext,
  tenant: erasure.EndedTenant,
  table: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  let total = 0;
  for (let count = -1; count !== 0; total += count) {
    if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
    try {
      count = await inTenant(context, tenant, (tx) => deleteRowsOf(tx, tenant, table, BATCH_ROWS));
    } catch (error) {
      if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) return undefined;
      throw error;
    }
  }
  return total;
}

/** False if there are rows again. */
async function endErasure(
  context: SystemContext,
  tenant: erasure.EndedTenant,
  tables: readonly string[],
): Promise<boolean> {
  return await inTenant(context, tenant, async (tx) => {
    if (await hasRowsOf(tx, tenant, tables)) return false;
    await erasure.deleteEndedTenant(tx, tenant);
    tx.audit({ target: `tenant:${tenant.id}`, after: { erased: true } });
    return true;
  });
}
