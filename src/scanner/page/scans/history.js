// The last scans of this device, for the person who holds it. A help and no condition: a browser that
// can keep nothing more must not keep a verdict from being shown.
import { readAll, withStore } from "./store.js";

const KEPT_MAX = 50;

const newestFirst = (left, right) => (left.at < right.at ? 1 : -1);

/** The newest first. */
export async function readHistory() {
  return (await readAll("history")).sort(newestFirst);
}

/** Never throws. */
export async function noteScan(entry) {
  try {
    await withStore("history", "readwrite", (store) => store.put(entry));
    await drop((await readHistory()).slice(KEPT_MAX).filter((each) => !isUnseen(each)));
  } catch {
    // The scan itself is in the outbox, or with the service.
  }
}

const isUnseen = ({ conflict }) => conflict?.isSeen === false;

/** Names and codes of people are of no use to a device that is not paired, and of use to a thief. */
export async function dropSettled() {
  const history = await readHistory();
  await drop(history.filter((each) => !each.isWaiting && !isUnseen(each)));
}

async function drop(entries) {
  if (entries.length === 0) return;
  await withStore("history", "readwrite", (store) => {
    for (const { reference } of entries) store.delete(reference);
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
  return (await readHistory()).filter(isUnseen);
}

export async function markConflictsSeen() {
  for (const { reference, conflict } of await readConflicts()) {
    await changeScan(reference, { conflict: { ...conflict, isSeen: true } });
  }
}
