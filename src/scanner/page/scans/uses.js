// The redemptions that this device let people in for, so that nobody is let in twice without a network. A list
// knows of a use if it was asked for after the scan had left the outbox, because the service has answered for it
// then. Until then the use counts, under each list that comes meanwhile.
import { now } from "./clock.js";
import { withStores } from "./store.js";

/** As long as a list is good, unless a tenant says otherwise. */
const UNREDEEMED_MS = 12 * 3_600_000;

export const useOf = ({ tenantId, redeem, reference }, code) => ({
  tenantId,
  privilegeId: redeem.privilegeId,
  code,
  reference,
});

/** A pass may have several uses under a list. Without a list and a name: a use that no list has a place for. */
export const placeOfUse = ({ reference }, listId = "", name = "") =>
  `${listId}:${name}:${reference}`;
const usesOf = (listId, name) =>
  IDBKeyRange.bound(`${listId}:${name}`, `${listId}:${name};`, false, true);

/** Calls `onRead` with all uses and their keys, in the transaction of the store. */
export function readUses(store, onRead) {
  const keys = store.getAllKeys();
  const uses = store.getAll();
  uses.onsuccess = () => onRead(uses.result.map((use, at) => ({ key: keys.result[at], use })));
}

/** Whether what was asked for by the renewal with this number knows of the use. */
export const isKnown = ({ known }, number) => known <= number;

/**
 * Numbers a renewal before its first page is asked for, and notes of which uses it will know. Numbers, because
 * the clock of a tablet may be set back between a use and a page.
 */
export async function beginRenewal() {
  let number;
  await withStores(["kept", "outbox", "used"], (kept, outbox, used) => {
    const last = kept.get("renewal");
    const items = outbox.getAll();
    readUses(used, (uses) => {
      number = (last.result ?? 0) + 1;
      kept.put(number, "renewal");
      const waiting = new Set(items.result.map(({ reference }) => reference));
      for (const { use } of uses) if (use.countsUntil > now()) waiting.add(use.reference);
      for (const { key, use } of uses) {
        if (use.known === undefined && !isWaiting(use, waiting)) {
          used.put({ ...(typeof use === "object" ? use : {}), known: number }, key);
        }
      }
    });
  });
  return number;
}

/** A former version of this page kept the time of a use alone: its scan may be any that waits. */
function isWaiting({ reference }, waiting) {
  return reference === undefined ? waiting.size > 0 : waiting.has(reference);
}

/**
 * Marks the first of these entries that is free as used, in the transaction of the store, and calls
 * `onClaimed`. With several tabs, one of them gets it.
 */
export function claimFirst(store, { listId, pages }, [entry, ...others], use, onClaimed) {
  if (entry === undefined) return;
  const uses = store.getAll(usesOf(listId, entry.name));
  uses.onsuccess = () => {
    if (uses.result.every((each) => isKnown(each, pages[entry.page].asked))) {
      store.put(use, placeOfUse(use, listId, entry.name));
      onClaimed();
    } else claimFirst(store, { listId, pages }, others, use, onClaimed);
  };
}

/**
 * The service has no redemption for a scan by which somebody was let in here, so that no list will ever know of
 * it. It counts as long as the list that it was decided by could.
 */
export async function keepUnredeemed(item) {
  const use = { ...useOf(item, item.data), countsUntil: now() + UNREDEEMED_MS };
  await withStores(["used"], (used) => {
    used.put(use, placeOfUse(use));
  });
}

/** All but those whose scans wait: whichever list this browser gets next does not know of them. */
export async function dropSentUses() {
  await withStores(["outbox", "used"], (outbox, used) => {
    const items = outbox.getAll();
    readUses(used, (uses) => {
      const waiting = new Set(items.result.map(({ reference }) => reference));
      for (const { key, use } of uses) if (!waiting.has(use.reference)) used.delete(key);
    });
  });
}

/** Whether another scan like this one would find nothing left to redeem. */
export function isUsedUp({ movement, privileges }, redeem) {
  if (movement === undefined || redeem === undefined) return false;
  const privilege = privileges.find(({ privilegeId }) => privilegeId === redeem.privilegeId);
  if (privilege === undefined || privilege.status !== "available") return true;
  return privilege.value !== null && privilege.value - privilege.minimum < redeem.amount;
}
