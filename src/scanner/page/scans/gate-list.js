// The list of codes with which this device decides while it has no network. It is signed by the
// service and good for hours only; it holds hashes, so that a lost tablet gives away no codes.
import { Failure } from "./api.js";
import { now, nowText } from "./clock.js";
import { exclusively } from "./exclusively.js";
import { canVerify, hashCode, verifyPage } from "./gate-signature.js";
import { clear, read, withStore, withStores, write } from "./store.js";

const PAGE_PASSES = 1_000;
/** A page is asked for at most this often; a list of a thousand pages so every 100 minutes. */
const PAUSE_PER_PAGE_MS = 6_000;

const LOCK = "billfold-scanner-list";

const keyOf = (listId, code) => `${listId}:${code}`;
/** Two passes may have the same code, so a code has a place for each of them. */
const placeOf = (listId, code, name) => `${keyOf(listId, code)}:${name}`;
const placesOf = (listId, code) =>
  IDBKeyRange.bound(`${keyOf(listId, code)}:`, `${keyOf(listId, code)};`, false, true);
/** The keys of all other lists: the sign after a colon is a semicolon. */
const othersThan = (listId) => [
  IDBKeyRange.upperBound(`${listId}:`, true),
  IDBKeyRange.lowerBound(`${listId};`),
];

export class GateList {
  /** What is known of the list that decides, or undefined. */
  head;
  /** Whether the last one was no list of the service. */
  isBroken = false;
  #tenantId;
  /** The public keys of the tenant, as far as they were needed. */
  #keys = [];

  /** Takes the list that was kept for this tenant. */
  async open({ tenantId }) {
    this.#tenantId = tenantId;
    this.#keys = [];
    await this.#reload();
  }

  /** Another tab may have fetched a newer list, and dropped the codes of this one. */
  async #reload() {
    const head = await read("kept", "list");
    this.head = head?.tenantId === this.#tenantId ? head : undefined;
  }

  forget() {
    this.head = undefined;
  }

  /** Whether it may decide: `good`, `old` or `none`. */
  state() {
    if (this.head === undefined) return "none";
    return Date.parse(this.head.expiresAt) > now() ? "good" : "old";
  }

  /** Fetches what changed. What waited must have been sent before, so that the list knows of it. */
  async renew(device) {
    if (canVerify()) await exclusively(LOCK, () => this.#renew(device));
  }

  async #renew({ api, settings }) {
    await this.#reload();
    if (!this.#isDue(settings)) return;
    const { head: known } = this;
    let fresh = await this.#fetchPage(api, known, 0);
    if (fresh === undefined) return;
    for (let page = 1; fresh.pages[page - 1].next !== null; page += 1) {
      fresh = await this.#fetchPage(api, fresh, page);
      if (fresh === undefined) return;
    }
    const pages = fresh.pages.slice(0, fresh.pages.findIndex(({ next }) => next === null) + 1);
    const count = pages.reduce((sum, { codes }) => sum + codes, 0);
    const head = { ...fresh, pages, count, checkedAt: nowText() };
    await write("kept", head, "list");
    this.head = head;
    this.isBroken = false;
    if (known?.listId !== head.listId) await dropOthers(head.listId);
  }

  /** At once if the list was made for other settings than those of the device now. */
  #isDue({ passTypes, redeem }) {
    if (this.state() !== "good" || !isFor(this.head, redeem)) return true;
    if (String(this.head.passTypes ?? "") !== String(passTypes?.toSorted() ?? "")) return true;
    const { checkedAt, pages } = this.head;
    return now() - Date.parse(checkedAt) >= pages.length * PAUSE_PER_PAGE_MS;
  }

  /**
   * Gives the head with this page in it. Only the first page may belong to another list than the
   * one that is known. Undefined for a page that the service did not sign so.
   */
  async #fetchPage(api, known, page) {
    const cursor = page === 0 ? undefined : known.pages[page - 1].next;
    const kept = known?.pages[page];
    const checkedAt = nowText();
    const answer = await api.readListPage({ limit: PAGE_PASSES, cursor }, kept?.tag);
    if (answer === undefined) {
      return { ...known, pages: known.pages.with(page, { ...kept, checkedAt }) };
    }
    const { value, tag } = answer;
    let signed;
    try {
      signed = await verifyPage(value, (kid) => this.#findKey(api, kid));
      this.#check(signed, known, page);
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.isBroken = true;
      return undefined;
    }
    const { listId, salt, passTypes, redeem, issuedAt, expiresAt, digest, isLast } = signed;
    const isSame = known?.listId === listId;
    const pages = isSame ? [...known.pages] : [];
    const codes = value.entries.reduce((sum, entry) => sum + entry.codes.length, 0);
    pages[page] = { tag, digest, codes, checkedAt, next: isLast ? null : value.next };
    const about = { tenantId: this.#tenantId, listId, salt, passTypes, redeem };
    const head = { ...about, issuedAt, expiresAt, pages };
    await this.#keep({ ...known, ...head }, page, value.entries, isSame);
    return head;
  }

  /** Asked for after the page that it signed: the first list of a tenant makes the first key. */
  async #findKey(api, kid) {
    const isIt = (key) => key.kid === kid;
    if (!this.#keys.some(isIt)) this.#keys = (await api.readGateKeys()).keys;
    return this.#keys.find(isIt);
  }

  #check(signed, known, page) {
    const isNext =
      page === 0 ||
      (signed.listId === known.listId && signed.previous === known.pages[page - 1].digest);
    const isOurs = signed.tenantId === this.#tenantId && signed.page === page;
    if (!isNext || !isOurs || Date.parse(signed.expiresAt) <= now()) throw new Error("Other list.");
  }

  /** The codes of a page and what makes them count are written together, or not at all. */
  async #keep(head, page, entries, isInForce) {
    const { listId, pages } = head;
    const { digest } = pages[page];
    // A list decides when all of it is there; a page of the list in force does at once.
    const isCounting = isInForce && this.head?.listId === listId;
    const next = isCounting ? { ...this.head, pages } : undefined;
    await withStores(["codes", "kept"], (codes, kept) => {
      for (const { codes: names, state, reason, validFrom, validUntil } of entries) {
        const entry = { page, digest, name: names[0], state, reason, validFrom, validUntil };
        for (const code of names) codes.put(entry, placeOf(listId, code, names[0]));
      }
      if (next !== undefined) kept.put(next, "list");
    });
    if (next !== undefined) this.head = next;
  }

  /** A pass that is accepted for a redemption is marked as used by the same step. */
  async decide(data, { at, redeem }) {
    await this.#reload();
    const state = this.state();
    if (state === "none") return { verdict: "unchecked", reason: "no-list" };
    if (state === "old") return { verdict: "unchecked", reason: "old-list" };
    if (!isFor(this.head, redeem)) return { verdict: "unchecked", reason: "other-list" };
    let against;
    for (const entry of await this.#find(data)) {
      const reason = reasonAgainst(entry, at);
      if (reason === undefined && (redeem === undefined || (await this.#use(entry)))) {
        return { verdict: "accepted" };
      }
      against ??= reason ?? "already-redeemed";
    }
    return { verdict: "rejected", reason: against ?? "unknown-code" };
  }

  /** Entries of a page that has changed meanwhile stay behind, and do not count. */
  async #find(data) {
    for (;;) {
      const { head } = this;
      const places = placesOf(head.listId, await hashCode(head.salt, data));
      const entries = await withStore("codes", "readonly", (store) => store.getAll(places));
      if (head === this.head) {
        return entries.filter(({ page, digest }) => head.pages[page]?.digest === digest);
      }
    }
  }

  /**
   * False if the pass was let in here before, in this tab or another. A use counts until the list was
   * asked for again: then the list knows of it.
   */
  async #use({ name, page }) {
    const key = keyOf(this.head.listId, name);
    const { checkedAt } = this.head.pages[page];
    let isFree = false;
    await withStore("used", "readwrite", (store) => {
      const asked = store.get(key);
      asked.onsuccess = () => {
        isFree = asked.result === undefined || asked.result < checkedAt;
        if (isFree) store.put(nowText(), key);
      };
    });
    return isFree;
  }

  /** The service let in the pass with this id, and what it had is used up. */
  async noteUsedPass(passId) {
    const { head } = this;
    if (head === undefined) return;
    await write("used", nowText(), keyOf(head.listId, await hashCode(head.salt, passId)));
  }
}

/** Whether a list tells about this redemption: one for another privilege says nothing of it. */
function isFor({ redeem: known }, wanted) {
  if (known === null || known === undefined || wanted === undefined) {
    return (known ?? undefined) === wanted;
  }
  return known.privilegeId === wanted.privilegeId && Number(known.amount) === wanted.amount;
}

/** The list says what was so when it was made; times go on. */
function reasonAgainst({ reason, validFrom, validUntil }, at) {
  if (reason !== null && reason !== "not-yet-valid") return reason;
  if (validUntil !== null && validUntil <= at) return "expired";
  if (validFrom !== null && validFrom > at) return "not-yet-valid";
  return undefined;
}

/** Also what is left of a list that was never fetched to its end. */
async function dropOthers(listId) {
  for (const name of ["codes", "used"]) {
    await withStore(name, "readwrite", (store) => {
      for (const range of othersThan(listId)) store.delete(range);
    });
  }
}

/** All that was kept of any list. */
export async function clearLists() {
  for (const name of ["codes", "used"]) await clear(name);
}
