// The last scans of this device, for the person who holds it.
import { readAll, withStore } from "./store.js";

const KEPT_MAX = 50;

const newestFirst = (left, right) => (left.at < right.at ? 1 : -1);

/** The newest first. */
export async function readHistory() {
  return (await readAll("history")).sort(newestFirst);
}

export async function noteScan(entry) {
  await withStore("history", "readwrite", (store) => store.put(entry));
  const old = (await readHistory())
    .slice(KEPT_MAX)
    .filter(({ conflict }) => conflict === undefined);
  if (old.length === 0) return;
  await withStore("history", "readwrite", (store) => {
    for (const { reference } of old) store.delete(reference);
  });
}

/** Changes an entry that may have been dropped meanwhile: then it is made from what is known. */
export async function changeScan(reference, change) {
  await withStore("history", "readwrite", (store) => {
    const request = store.get(reference);
    request.onsuccess = () => store.put({ ...request.result, ...change, reference });
  });
}

/** Conflicts that nobody has looked at yet. */
export async function readConflicts() {
  return (await readHistory()).filter(({ conflict }) => conflict?.isSeen === false);
}

export async function markConflictsSeen() {
  for (const { reference, conflict } of await readConflicts()) {
    await changeScan(reference, { conflict: { ...conflict, isSeen: true } });
  }
}
