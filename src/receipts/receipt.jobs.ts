import Type from "typebox";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { eraseTracesOf } from "#kernel/events/erasure.ts";
import { type Purge, purgeInTurns, purgeTenant } from "#kernel/jobs/batches.ts";
import { defineJob } from "#kernel/jobs/define.ts";
import type { Purger } from "#src/scheduler/public.ts";
import { tenantCacheOf } from "#src/tenants/public.ts";
import {
  type DeletedReceipt,
  deleteReceiptsBefore,
  listTenantsWithReceipts,
} from "./receipt.repository.ts";
import { linkNewest, lockPass, receiptDeskOf } from "./receipt-desk.service.ts";

const DAY_MS = 86_400_000;
/** As long as most countries ask shops to keep theirs. */
const RETENTION_DAYS_DEFAULT = 3_650;
const BATCH_ROWS = 1_000;
const PASSES_PER_JOB = 500;

/** Passes whose receipts went without them get the link to the newest one that is left. */
export const linkReceipts = defineJob({
  name: "receipt.link",
  payload: Type.Object({ passIds: Type.Array(Type.String(), { maxItems: PASSES_PER_JOB }) }),
  timeoutSeconds: 600,
  async run(system, { passIds }, signal) {
    const context = system.forTenant(system.tenantId);
    const desk = await receiptDeskOf(context);
    for (const passId of passIds) {
      if (signal.aborted) throw new Error("Interrupted: the rest follows in the next run.");
      await context.transaction(async (tx) => {
        const pass = await lockPass(tx, passId);
        if (pass !== undefined) await linkNewest(tx, desk, pass);
      });
    }
  },
});

/** Erases what is told of receipts whose rows are deleted, and enqueues what their passes need. */
export async function finishErasure(
  tx: TenantTx,
  erased: readonly DeletedReceipt[],
): Promise<void> {
  if (erased.length === 0) return;
  await eraseTracesOf(
    tx,
    erased.map(({ id }) => id),
  );
  const passIds = [...new Set(erased.flatMap(({ passId }) => passId ?? []))];
  for (let at = 0; at < passIds.length; at += PASSES_PER_JOB) {
    tx.enqueue(linkReceipts, { passIds: passIds.slice(at, at + PASSES_PER_JOB) });
  }
}

const oldReceipts: Purge = {
  rowsMax: BATCH_ROWS,
  async run(context) {
    const known = await tenantCacheOf(context.runtime).find(context.tenantId);
    const days = known?.settings.retention?.receiptDays ?? RETENTION_DAYS_DEFAULT;
    const before = new Date(context.clock.now().getTime() - days * DAY_MS);
    return await context.transaction(async (tx) => {
      const deleted = await deleteReceiptsBefore(tx, before, BATCH_ROWS);
      await finishErasure(tx, deleted);
      return deleted.length;
    });
  },
};

/** Deletes receipts of purchases that are longer ago than `retention.receiptDays`. */
export const purgeReceipts = defineJob({
  name: "receipt.purge",
  payload: Type.Object({}),
  cron: "27 * * * *",
  concurrency: 1,
  timeoutSeconds: 3_000,
  async run(context, _payload, signal) {
    await purgeInTurns(context, await listTenantsWithReceipts(context), oldReceipts, signal);
  },
});

export const receiptPurger: Purger = {
  name: "receipts",
  purge: (context, signal) => purgeTenant(context, oldReceipts, signal),
};
