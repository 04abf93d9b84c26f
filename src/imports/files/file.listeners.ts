import type { TenantTx } from "#kernel/db/transaction.ts";
import { listen } from "#kernel/events/listen.ts";
import { customerDeleted, erasedCustomers } from "#src/customers/public.ts";
import { erasedPasses, passDeleted } from "#src/passes/public.ts";
import { type Erased, eraseOutcomes } from "../outcomes/outcome.repository.ts";
import { dropImportContents } from "./file.jobs.ts";
import { eraseContents } from "./file-upkeep.repository.ts";

export const eraseImportsOfPasses = listen(passDeleted, (tx) => eraseImports(tx, erasedPasses(tx)));

/** A customer may have no pass, or be erased without their passes. */
export const eraseImportsOfCustomers = listen(customerDeleted, (tx) =>
  eraseImports(tx, erasedCustomers(tx)),
);

/**
 * Logs keep that a row was imported, or was not, but not whose it was; files that named the person go.
 * Rows of this transaction are there already: a file may erase a pass that its next row names.
 */
async function eraseImports(tx: TenantTx, erased: readonly Erased[]): Promise<void> {
  const fileIds = await eraseOutcomes(tx, erased);
  if (fileIds.length === 0) return;
  await eraseContents(tx, fileIds);
  tx.enqueue(dropImportContents, {}, { singletonKey: tx.tenantId });
}
