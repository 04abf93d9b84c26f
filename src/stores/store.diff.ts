import { isSameJson } from "#kernel/json.ts";
import { presentStore, type StoredStore, type StoreResource } from "./store.schema.ts";

export type StoreChanges = {
  readonly created: readonly StoreResource[];
  readonly updated: readonly { readonly before: StoreResource; readonly after: StoreResource }[];
  readonly deleted: readonly StoreResource[];
};

/** Compares stores with those of a file. New and changed stores are in the order of the file. */
export function diffStores(
  known: readonly StoredStore[],
  wanted: readonly StoreResource[],
): StoreChanges {
  const before = new Map(known.map((store) => [store.id, presentStore(store)]));
  const kept = new Set(wanted.map(({ id }) => id));
  const created: StoreResource[] = [];
  const updated: { before: StoreResource; after: StoreResource }[] = [];
  for (const after of wanted) {
    const old = before.get(after.id);
    if (old === undefined) created.push(after);
    else if (!isSameJson(old, after)) updated.push({ before: old, after });
  }
  return { created, updated, deleted: [...before.values()].filter(({ id }) => !kept.has(id)) };
}
