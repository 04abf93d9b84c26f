// The list of codes with which this device decides while it has no network. It is signed by the
// service and good for hours only; it holds hashes, so that a lost tablet gives away no codes.
import { Failure } from "./api.js";
import { now, nowText } from "./clock.js";
import { exclusively, isAtWork } from "./exclusively.js";
import { canVerify, hashCode, verifyPage } from "./gate-signature.js";
import { clear, read, withStore, withStores } from "./store.js";
import {
  beginRenewal,
  claimFirst,
  dropSentUses,
  isKnown,
  placeOfUse,
  readUses,
  useOf,
} from "./uses.js";

const PAGE_PASSES = 1_000;
/** A page is asked for at most this often; a list of a thousand pages so every 100 minutes. */
const PAUSE_PER_PAGE_MS = 6_000;

const LOCK = "billfold-scanner-list";

/** Two passes may have the same code, so a code has a place for each of them. */
const placeOf = (listId, code, name) => `${listId}:${code}:${name}`;
const placesOf = (listId, code) =>
  IDBKeyRange.bound(`${listId}:${code}:`, `${listId}:${code};`, false, true);
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
    this.head = this.#ofTenant(await read("kept", "list"));
  }

  #ofTenant(head) {
    return head?.tenantId === this.#tenantId ? head : undefined;
  }

  forget() {
    this.head = undefined;
  }

  /** Whether it may decide: `good`, `old` or `none`. */
  state() {
    if (this.head === undefined) return "none";
    return Date.parse(this.head.expiresAt) > now() ? "good" : "old";
  }

  /** Fetches what changed. What was sent before is in it: see `beginRenewal`. */
  async renew(device) {
    if (canVerify()) await exclusively(LOCK, () => this.#renew(device));
  }

  async #renew({ api, apiKey, settings }) {
    await this.#reload();
    if (!this.#isDue(settings)) return;
    const { head: known } = this;
    const renewal = { api, apiKey, number: await beginRenewal() };
    let fresh = await this.#fetchPage(renewal, known, 0);
    if (fresh === undefined) return;
    for (let page = 1; fresh.pages[page - 1].next !== null; page += 1) {
      fresh = await this.#fetchPage(renewal, fresh, page);
      if (fresh === undefined) return;
    }
    const pages = fresh.pages.slice(0, fresh.pages.findIndex(({ next }) => next === null) + 1);
    const count = pages.reduce((sum, { codes }) => sum + codes, 0);
    const head = { ...fresh, pages, count, checkedAt: nowText() };
    if (!(await bringIntoForce(head, renewal))) return;
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
  async #fetchPage({ api, number: asked }, known, page) {
    const cursor = page === 0 ? undefined : known.pages[page - 1].next;
    const kept = known?.pages[page];
    const answer = await api.readListPage({ limit: PAGE_PASSES, cursor }, kept?.tag);
    if (answer === undefined) {
      return { ...known, pages: known.pages.with(page, { ...kept, asked }) };
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
    pages[page] = { tag, digest, codes, asked, next: isLast ? null : value.next };
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

  /**
   * Decides about a scan that is in the outbox. A pass that is accepted for a redemption is marked as used by the
   * same step.
   */
  async decide(item) {
    const { data, occurredAt: at, redeem } = item;
    const use = redeem && useOf(item, data);
    for (;;) {
      await this.#reload();
      const state = this.state();
      if (state === "none") return { verdict: "unchecked", reason: "no-list" };
      if (state === "old") return { verdict: "unchecked", reason: "old-list" };
      if (!isFor(this.head, redeem)) return { verdict: "unchecked", reason: "other-list" };
      const { listId, salt } = this.head;
      const places = placesOf(listId, await hashCode(salt, data));
      const verdict = await judge(listId, places, { at, use });
      if (verdict !== undefined) return verdict;
    }
  }

  /** The service let in the pass with this id for a scan, and what it had is used up. */
  async noteUsedPass(passId, item) {
    const use = useOf(item, passId);
    for (let isNoted = false; !isNoted; ) {
      // Before the list is looked at: what a renewal brings into force in between is seen then.
      const isRenewing = canVerify() && (await isAtWork(LOCK));
      await this.#reload();
      const { head } = this;
      const isAbout = this.state() === "good" && isOf(use, head);
      // Whatever list is asked for from now on knows of it.
      if (!isAbout && !isRenewing) return;
      const place = isAbout
        ? placeOfUse(use, head.listId, await hashCode(head.salt, passId))
        : placeOfUse(use);
      await withStores(["kept", "used"], (kept, used) => {
        const list = kept.get("list");
        list.onsuccess = () => {
          isNoted = this.#ofTenant(list.result)?.listId === head?.listId;
          if (isNoted) used.put(use, place);
        };
      });
    }
  }
}

/**
 * Decides in one transaction, so that no other tab changes the list or lets in the same pass meanwhile.
 * Undefined if another list came into force before. Entries of a page that has changed stay behind, and do not
 * count.
 */
async function judge(listId, places, { at, use }) {
  let verdict;
  await withStores(["kept", "codes", "used"], (kept, codes, used) => {
    const list = kept.get("list");
    const found = codes.getAll(places);
    found.onsuccess = () => {
      const head = list.result;
      if (head?.listId !== listId) return;
      const entries = found.result.filter(
        ({ page, digest }) => head.pages[page]?.digest === digest,
      );
      const reasons = entries.map((entry) => reasonAgainst(entry, at));
      const valid = entries.filter((_, index) => reasons[index] === undefined);
      const accept = () => {
        verdict = { verdict: "accepted" };
      };
      const [reason = "already-redeemed"] = entries.length === 0 ? ["unknown-code"] : reasons;
      verdict = { verdict: "rejected", reason };
      if (use !== undefined) claimFirst(used, head, valid, use, accept);
      else if (valid.length > 0) accept();
    };
  });
  return verdict;
}

/**
 * Lets a list decide, and gives each use that it does not know of a place in it: by the code, because passes have
 * other names in each list. Of several passes with that code, none is let in until a list knows which it was.
 * False if this browser was unpaired meanwhile, so that what it had kept is gone, or if a tab has begun a later
 * renewal, where browsers have no locks.
 */
async function bringIntoForce(head, { apiKey, number }) {
  const hashes = new Map();
  for (;;) {
    let isInTime = false;
    let missing = [];
    await withStores(["kept", "codes", "used"], (kept, codes, used) => {
      const pairing = kept.get("pairing");
      const last = kept.get("renewal");
      readUses(used, (uses) => {
        isInTime = pairing.result?.apiKey === apiKey && last.result === number;
        const known = uses.filter(({ use }) => isKnown(use, number));
        const placed = uses.filter(({ key }) => key.startsWith(`${head.listId}:`));
        const references = new Set(placed.map(({ use }) => use.reference));
        const others = uses.filter(
          ({ use }) => !isKnown(use, number) && isOf(use, head) && !references.has(use.reference),
        );
        missing = others.map(({ use }) => use.code).filter((code) => !hashes.has(code));
        // Nothing but the store is waited for in a transaction: what must be hashed is hashed before the next.
        if (!isInTime || missing.length > 0) return;
        for (const { key } of known) used.delete(key);
        for (const { use } of others) {
          const entries = codes.getAll(placesOf(head.listId, hashes.get(use.code)));
          entries.onsuccess = () => {
            const names = entries.result.map(({ name }) => name);
            for (const name of names) used.put(use, placeOfUse(use, head.listId, name));
          };
        }
        kept.put(head, "list");
      });
    });
    if (!isInTime) return false;
    if (missing.length === 0) return true;
    for (const code of missing) hashes.set(code, await hashCode(head.salt, code));
  }
}

/** Whether a list tells about this redemption: one for another privilege says nothing of it. */
function isFor({ redeem: known }, wanted) {
  if (known === null || known === undefined || wanted === undefined) {
    return (known ?? undefined) === wanted;
  }
  return known.privilegeId === wanted.privilegeId && Number(known.amount) === wanted.amount;
}

/** Whether a list tells about the redemption that a use was. */
const isOf = ({ tenantId, privilegeId }, head) =>
  tenantId === head.tenantId && privilegeId === head.redeem?.privilegeId;

/** The list says what was so when it was made; times go on. */
function reasonAgainst({ reason, validFrom, validUntil }, at) {
  if (reason !== null && reason !== "not-yet-valid") return reason;
  if (validUntil !== null && validUntil <= at) return "expired";
  if (validFrom !== null && validFrom > at) return "not-yet-valid";
  return undefined;
}

/** Also what is left of a list that was never fetched to its end. */
async function dropOthers(listId) {
  await withStore("codes", "readwrite", (store) => {
    for (const range of othersThan(listId)) store.delete(range);
  });
}

/** All that was kept of any list. */
export async function clearLists() {
  await clear("codes");
  await dropSentUses();
}
