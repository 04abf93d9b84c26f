// The list of codes with which this device decides while it has no network. It is signed by the
// service and good for hours only; it holds hashes, so that a lost tablet gives away no codes.
import { Failure } from "./api.js";
import { now, nowText } from "./clock.js";
import { canVerify, hashCode, verifyPage } from "./gate-signature.js";
import { clear, read, withStore, withStores, write } from "./store.js";

const PAGE_PASSES = 1_000;
/** A page is asked for at most this often; a list of a thousand pages so every 100 minutes. */
const PAUSE_PER_PAGE_MS = 6_000;

const keyOf = (listId, code) => `${listId}:${code}`;
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
    const head = await read("kept", "list");
    this.head = head?.tenantId === tenantId ? head : undefined;
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
  async renew({ api }) {
    if (!canVerify() || !this.#isDue()) return;
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

  #isDue() {
    if (this.state() !== "good") return true;
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
    const { listId, salt, issuedAt, expiresAt, digest, isLast } = signed;
    const isSame = known?.listId === listId;
    const pages = isSame ? [...known.pages] : [];
    const codes = value.entries.reduce((sum, entry) => sum + entry.codes.length, 0);
    pages[page] = { tag, digest, codes, checkedAt, next: isLast ? null : value.next };
    const head = { tenantId: this.#tenantId, listId, salt, issuedAt, expiresAt, pages };
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
        for (const code of names) codes.put(entry, keyOf(listId, code));
      }
      if (next !== undefined) kept.put(next, "list");
    });
    if (next !== undefined) this.head = next;
  }

  async decide(data, { at, redeem }) {
    const state = this.state();
    if (state === "none") return { verdict: "unchecked", reason: "no-list" };
    if (state === "old") return { verdict: "unchecked", reason: "old-list" };
    const entry = await this.#find(data);
    if (entry === undefined) return { verdict: "rejected", reason: "unknown-code" };
    const { name } = entry;
    const reason = reasonAgainst(entry, at);
    if (reason !== undefined) return { verdict: "rejected", reason, name };
    if (redeem !== undefined && (await this.#isUsed(entry))) {
      return { verdict: "rejected", reason: "already-redeemed", name };
    }
    return { verdict: "accepted", name };
  }

  /** Entries of a page that has changed meanwhile stay behind, and do not count. */
  async #find(data) {
    for (;;) {
      const { head } = this;
      const entry = await read("codes", keyOf(head.listId, await hashCode(head.salt, data)));
      if (entry === undefined || head.pages[entry.page]?.digest === entry.digest) return entry;
      if (head === this.head) return undefined;
    }
  }

  /** A use counts until the list was asked for again: then the list knows of it. */
  async #isUsed({ name, page }) {
    const usedAt = await read("used", keyOf(this.head.listId, name));
    return usedAt !== undefined && usedAt >= this.head.pages[page].checkedAt;
  }

  /** The pass with this name was let in here, and what it had is used up. */
  async noteUsed(name) {
    await write("used", nowText(), keyOf(this.head.listId, name));
  }

  /** The same for a pass that the service let in, by its id. */
  async noteUsedPass(passId) {
    if (this.head !== undefined) await this.noteUsed(await hashCode(this.head.salt, passId));
  }
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
