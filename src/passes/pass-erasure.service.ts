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
 * Locks passes that `erasePasses` is to erase; those that are not there are left out. Whoever writes
 * about them at this moment is waited for first, before any row is locked: what it wrote is then
 * erased with the rest, and it never waits for a row of this transaction.
 */
export function findPassesToErase(tx: TenantTx, ids: readonly string[]): Promise<Pass[]> {
  awaitHolders(tx, ids);
  return passes.findPassesForUpdate(tx, ids);
}

/** What the passes were that a transaction erases. */
const erasedBy = new WeakMap<TenantTx, Pass[]>();

/**
 * The passes that this transaction has erased, as they were. For listeners that erase what others
 * wrote about them: the event itself must tell nothing of their holders.
 */
export function erasedPasses(tx: TenantTx): readonly Pass[] {
  return erasedBy.get(tx) ?? [];
}

/**
 * Erases passes of `findPassesToErase` and the content of all their events; the fact and time of
 * the events stay.
 */
export async function erasePasses(
  context: TenantContext,
  tx: TenantTx,
  erased: readonly Pass[],
): Promise<void> {
  const ids = erased.map(({ id }) => id);
  erasedBy.set(tx, [...erasedPasses(tx), ...erased]);
  for (const companion of context.runtime.ports.all(passCompanions)) {
    await companion.detach(tx, ids);
  }
  await passes.deletePasses(tx, ids);
  await eraseTracesOf(tx, ids);
  for (const { id, passType } of erased) {
    tx.emit(passDeleted, { id, passType }, { subject: id });
    tx.audit({ ...aboutPass(id), before: { passType } });
  }
}
