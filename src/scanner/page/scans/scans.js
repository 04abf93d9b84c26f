// From a code to a verdict: by the service, or without a network by the list of this device.
import { Failure } from "./api.js";
import { nowText } from "./clock.js";
import { noteScan } from "./history.js";
import { isUsedUp } from "./uses.js";

const LENGTH_MIN = 3;
const LENGTH_MAX = 2_048;
const REFERENCE_BYTES = 16;

function newReference() {
  const bytes = crypto.getRandomValues(new Uint8Array(REFERENCE_BYTES));
  return `scan-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export class Scans {
  #device;
  #link;
  #outbox;
  #list;

  constructor({ device, link, outbox, list }) {
    this.#device = device;
    this.#link = link;
    this.#outbox = outbox;
    this.#list = list;
  }

  /** `redeem` is what a person chose; else the settings of the device say what is redeemed. */
  async scan({ data, type }, redeem = this.#device.settings.redeem) {
    const at = nowText();
    // Counted as the service counts: an emoji is one character.
    const length = [...data].length;
    if (length < LENGTH_MIN || length > LENGTH_MAX) {
      return { verdict: "rejected", reason: "unreadable", data, type, at };
    }
    const { tenantId, deviceId, settings } = this.#device;
    const item = {
      reference: newReference(),
      tenantId,
      deviceId,
      isAsked: this.#link.isOnline,
      data,
      type,
      occurredAt: at,
      location: settings.location,
      redeem,
    };
    let held;
    let problem;
    try {
      held = await this.#outbox.hold(item);
    } catch (error) {
      // The storage of the browser is full or forbidden. The service can still decide and keep it.
      problem = error.message;
    }
    const answer = await this.#ask(held ?? item);
    if (answer !== undefined) return answer;
    // Nobody may believe that the scan is kept.
    if (held === undefined)
      return { verdict: "unchecked", reason: "not-kept", problem, data, type, at };
    return await this.#decide(held);
  }

  /** Undefined when the service cannot say it now. */
  async #ask(item) {
    if (!this.#link.isOnline) return undefined;
    const { reference, data, type, occurredAt: at, location, redeem } = item;
    try {
      // Without a time: the service has the better clock.
      const { api } = this.#device;
      const scan = await api.scan({ data, type, reference, location, redeem });
      this.#link.report();
      const outcome = { ...outcomeOf(scan), data, type, at, redeem };
      await this.#settle(item, outcome, isUsedUp(scan, redeem) ? scan.pass.id : undefined);
      return outcome;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.#link.report(failure);
      if (failure.isPassing || failure.status === 401) return undefined;
      const outcome = { verdict: "rejected", reason: "refused", problem: failure.message };
      await this.#settle(item, outcome);
      return { ...outcome, data, type, at };
    }
  }

  /** The service has decided: whatever this browser cannot keep of that, the verdict stands. */
  async #settle(item, outcome, usedPassId) {
    await this.#note(item, outcome, false);
    try {
      if (usedPassId !== undefined) await this.#list.noteUsedPass(usedPassId, item);
      await this.#outbox.settle(item);
    } catch {
      // Sent again later, the service knows it by its reference.
    }
  }

  async #decide(item) {
    const { data, type, occurredAt: at, redeem } = item;
    // Marks the pass as used before anyone is let in with it.
    const { verdict, reason } = await this.#list.decide(item);
    const decision = verdict === "unchecked" ? undefined : verdict;
    const outcome = { verdict, reason, data, type, at, redeem, isOffline: true };
    await this.#note(item, outcome, true);
    await this.#outbox.release({ ...item, decision, reason });
    return outcome;
  }

  #note({ reference, data, occurredAt }, outcome, isWaiting) {
    const { verdict, reason, problem, name, passType } = outcome;
    return noteScan({
      reference,
      at: occurredAt,
      data,
      verdict,
      reason,
      problem,
      name,
      passType,
      isWaiting,
    });
  }
}

function outcomeOf({ decision, reason, pass, privileges, movement, duplicateOf }) {
  return {
    verdict: decision,
    reason: reason ?? undefined,
    passId: pass?.id,
    name: pass?.displayName ?? undefined,
    passType: pass?.passType,
    privileges: privileges ?? [],
    movement: movement ?? undefined,
    isRepeated: duplicateOf !== undefined && duplicateOf !== null,
  };
}
