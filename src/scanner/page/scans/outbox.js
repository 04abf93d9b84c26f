// Scans on their way to the service. Each is kept here before it is sent, and leaves only when the
// service has answered for it. Sent twice, the service knows it by its reference.
import { Failure } from "./api.js";
import { changeScan } from "./history.js";
import { readAll, remove, withStore, write } from "./store.js";

const BATCH_MAX = 100;
const LOCK = "billfold-scanner-outbox";

export class Outbox {
  #link;
  #onChange;
  #sending = new Set();
  #isFlushing = false;

  /** `onChange` is told after each change of what waits. */
  constructor(link, onChange) {
    this.#link = link;
    this.#onChange = onChange;
  }

  /** Kept, and left alone by `flush` until `release`: its answer is waited for right now. */
  async hold(item) {
    this.#sending.add(item.reference);
    const id = await withStore("outbox", "readwrite", (store) => store.add(item));
    return { ...item, id };
  }

  /** To be sent with the next batch, with what was decided about it here. */
  async release(item) {
    await write("outbox", item);
    this.#sending.delete(item.reference);
    this.#onChange();
  }

  async settle({ id, reference }) {
    await remove("outbox", id);
    this.#sending.delete(reference);
  }

  /** Those of all tenants that this browser was paired with. */
  async waiting() {
    const items = await readAll("outbox");
    return items.filter(({ reference }) => !this.#sending.has(reference));
  }

  /** Sends what waits for the tenant of the API. */
  async flush(api, tenantId) {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      await exclusively(() => this.#flush(api, tenantId));
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.#link.report(failure);
    } finally {
      this.#isFlushing = false;
      this.#onChange();
    }
  }

  async #flush(api, tenantId) {
    for (;;) {
      const items = (await this.waiting()).filter((item) => item.tenantId === tenantId);
      if (items.length === 0) return;
      await this.#send(api, items.slice(0, BATCH_MAX));
      this.#onChange();
    }
  }

  async #send(api, items) {
    try {
      const results = await api.sendBatch(items.map(toWire));
      this.#link.report();
      const byReference = new Map(results.map((result) => [result.reference, result]));
      for (const item of items) {
        const result = byReference.get(item.reference);
        if (result === undefined) throw new Failure({ status: 502, detail: "A scan is missing." });
        await noteAnswer(item, result);
        await this.settle(item);
      }
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (failure.isPassing || failure.status === 401) throw failure;
      // One scan that the service does not take must not hold up the others.
      const middle = Math.ceil(items.length / 2);
      if (items.length > 1) {
        await this.#send(api, items.slice(0, middle));
        await this.#send(api, items.slice(middle));
        return;
      }
      await noteAnswer(items[0], { problem: failure.message });
      await this.settle(items[0]);
    }
  }
}

/** Two tabs of this page would send the same scans. */
function exclusively(work) {
  if (navigator.locks === undefined) return work();
  return navigator.locks.request(LOCK, { ifAvailable: true }, (lock) =>
    lock === null ? undefined : work(),
  );
}

function toWire({ reference, data, type, occurredAt, location, redeem, decision }) {
  return { reference, data, type, occurredAt, location, redeem, decision };
}

/** Nothing disappears: what the service decided otherwise, or refused, is shown as a conflict. */
async function noteAnswer({ reference, decision, reason, occurredAt, data }, result) {
  const scan = result.scan ?? undefined;
  const problem = result.problem ?? sayErrors(result.errors);
  const isOther = problem !== undefined || (decision !== undefined && scan.decision !== decision);
  await changeScan(reference, {
    at: occurredAt,
    data,
    isWaiting: false,
    ...(scan === undefined ? {} : namesOf(scan)),
    ...(isOther
      ? {
          conflict: {
            isSeen: false,
            here: { decision: decision ?? "unchecked", reason },
            there: { decision: scan?.decision ?? "rejected", reason: scan?.reason, problem },
          },
        }
      : {}),
    ...(decision === undefined && scan !== undefined
      ? { verdict: scan.decision, reason: scan.reason }
      : {}),
  });
}

/** What a scan is refused for, field by field; undefined if it is not. */
function sayErrors(errors) {
  if (errors === undefined) return undefined;
  return Object.entries(errors)
    .map(([field, texts]) => `${field} ${texts.join(", ")}`)
    .join("; ");
}

function namesOf({ pass }) {
  if (pass === null || pass === undefined) return {};
  return { name: pass.displayName ?? undefined, passType: pass.passType };
}
