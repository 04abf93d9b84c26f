// Scans on their way to the service. Each is kept here before it is sent, and leaves only when the
// service has answered for it. Sent twice, the service knows it by its reference.
import { Failure } from "./api.js";
import { exclusively } from "./exclusively.js";
import { changeScan } from "./history.js";
import { readAll, remove, withStore, write } from "./store.js";
import { isUsedUp, keepUnredeemed } from "./uses.js";

const BATCH_MAX = 100;
const LOCK = "billfold-scanner-outbox";

export class Outbox {
  #link;
  #list;
  #onChange;
  #sending = new Set();
  #isFlushing = false;

  /** `onChange` is told after each change of what waits. */
  constructor({ link, list, onChange }) {
    this.#link = link;
    this.#list = list;
    this.#onChange = onChange;
  }

  /** Kept, and left alone by `flush` until `release`: its answer is waited for right now. */
  async hold(item) {
    this.#sending.add(item.reference);
    try {
      const id = await withStore("outbox", "readwrite", (store) => store.add(item));
      return { ...item, id };
    } catch (error) {
      this.#sending.delete(item.reference);
      throw error;
    }
  }

  /** To be sent with the next batch, with what was decided about it here. */
  async release(item) {
    try {
      await write("outbox", item);
    } finally {
      this.#sending.delete(item.reference);
      this.#onChange();
    }
  }

  /** The service has answered for it. An item without an id was never kept. */
  async settle({ id, reference }) {
    if (id !== undefined) await remove("outbox", id);
    this.#sending.delete(reference);
  }

  /** Those of all tenants that this browser was paired with. */
  async waiting() {
    const items = await readAll("outbox");
    return items.filter(({ reference }) => !this.#sending.has(reference));
  }

  /** Sends what waits for the tenant of the device. */
  async flush(device) {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      // Two tabs of this page would send the same scans.
      await exclusively(LOCK, () => this.#flush(device));
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.#link.report(failure);
    } finally {
      this.#isFlushing = false;
      this.#onChange();
    }
  }

  async #flush(device) {
    for (;;) {
      const items = (await this.waiting()).filter((item) => item.tenantId === device.tenantId);
      if (items.length === 0) return;
      await this.#send(device, items.slice(0, BATCH_MAX));
      this.#onChange();
    }
  }

  async #send(device, items) {
    try {
      const results = await device.api.sendBatch(items.map((item) => toWire(item, device)));
      this.#link.report();
      const byReference = new Map(results.map((result) => [result.reference, result]));
      for (const item of items) {
        const result = byReference.get(item.reference);
        if (result === undefined) throw new Failure({ status: 502, detail: "A scan is missing." });
        await noteAnswer(item, result);
        await this.#noteUse(item, result.scan ?? undefined, device);
        await this.settle(item);
      }
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (failure.isPassing || failure.status === 401) throw failure;
      // One scan that the service does not take must not hold up the others.
      const middle = Math.ceil(items.length / 2);
      if (items.length > 1) {
        await this.#send(device, items.slice(0, middle));
        await this.#send(device, items.slice(middle));
        return;
      }
      await noteAnswer(items[0], { problem: failure.message });
      await this.#noteUse(items[0], undefined, device);
      await this.settle(items[0]);
    }
  }

  /** While the scan is still here, so that no list is thought to know of it. */
  async #noteUse(item, scan, device) {
    if (item.redeem === undefined) return;
    const passId = scan?.pass?.id;
    if (passId !== undefined && isUsedUp(scan, item.redeem)) {
      await this.#list.noteUsedPass(passId, item);
    } else if (item.decision === "accepted" && (scan === undefined || !mayRedeem(item, device))) {
      await keepUnredeemed(item);
    }
  }
}

/**
 * The service knows a scan by its reference and its device. If the answer to one was lost, and this
 * browser is another device by now, it may have redeemed already: nobody pays twice.
 */
const mayRedeem = (item, { deviceId }) => !item.isAsked || item.deviceId === deviceId;

function toWire(item, device) {
  const { reference, data, type, occurredAt, location, decision } = item;
  const redeem = mayRedeem(item, device) ? item.redeem : undefined;
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
