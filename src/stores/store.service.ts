import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { knownStores, STORES_PATH } from "#src/templates/public.ts";
import { findChangedFile } from "#src/tenants/public.ts";
import { diffStores } from "./store.diff.ts";
import { storeNotFound } from "./store.errors.ts";
import { storeCreated, storeDeleted, storeUpdated } from "./store.events.ts";
import * as stores from "./store.repository.ts";
import type { StoredStore } from "./store.schema.ts";

export async function getStore(context: TenantContext, storeId: string): Promise<StoredStore> {
  const store = await stores.findStore(context, storeId);
  if (store === undefined) throw storeNotFound({ storeId });
  return store;
}

/** Runs in the transaction of a publication. Emits an event for each store that changed. */
export async function syncStores(tx: TenantTx, version: number): Promise<void> {
  const file = await findChangedFile(tx, version, STORES_PATH);
  if (file === undefined) return;
  const known = await stores.listAllStores(tx);
  const { created, updated, deleted } = diffStores(known, await knownStores(file.content));
  const written = [...created, ...updated.map(({ after }) => after)];
  if (written.length > 0) await stores.upsertStores(tx, written);
  if (deleted.length > 0) {
    await stores.deleteStores(
      tx,
      deleted.map(({ id }) => id),
    );
  }
  for (const store of deleted) tx.emit(storeDeleted, store, { name: `store.${store.id}.deleted` });
  for (const { before: previous, after } of updated) {
    tx.emit(storeUpdated, after, { name: `store.${after.id}.updated`, previous });
  }
  for (const store of created) tx.emit(storeCreated, store, { name: `store.${store.id}.created` });
}
