import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { eraseTracesOf } from "#kernel/events/erasure.ts";
import { aboutPass } from "./pass.audit.ts";
import { passCompanions } from "./pass.companions.ts";
import { passDeleted } from "./pass.events.ts";
import * as passes from "./pass.repository.ts";
import type { Pass } from "./pass.schema.ts";
import { awaitHolders } from "./pass-hold.repository.ts";

/**
 * Locks passes that `erasePass` is to erase; those that are not there are left out. Whoever writes
 * about them at this moment is waited for first, before any row is locked: what it wrote is then
 * erased with the rest, and it never waits for a row of this transaction.
 */
export function findPassesToErase(tx: TenantTx, ids: readonly string[]): Promise<Pass[]> {
  awaitHolders(tx, ids);
  return passes.findPassesForUpdate(tx, ids);
}

/**
 * Erases a pass of `findPassesToErase` and the content of all its events; the fact and time of the
 * events stay.
 */
export async function erasePass(
  context: TenantContext,
  tx: TenantTx,
  { id, passType }: Pass,
): Promise<void> {
  for (const companion of context.runtime.ports.all(passCompanions)) await companion.detach(tx, id);
  await passes.deletePass(tx, id);
  await eraseTracesOf(tx, [id]);
  tx.emit(passDeleted, { id, passType }, { subject: id });
  tx.audit({ ...aboutPass(id), before: { passType } });
}
