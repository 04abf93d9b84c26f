// From a code to a verdict: by the service, or without a network by the list of this device.
import { Failure } from "./api.js";
import { nowText } from "./clock.js";
import { noteScan } from "./history.js";

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
    const { tenantId, settings } = this.#device;
    const item = await this.#outbox.hold({
      reference: newReference(),
      tenantId,
      data,
      type,
      occurredAt: at,
      location: settings.location,
      redeem,
    });
    return (await this.#ask(item)) ?? (await this.#decide(item));
  }

  /** Undefined when the service cannot say it now. */
  async #ask(item) {
    if (!this.#link.isOnline) return undefined;
    const { reference, data, type, occurredAt: at, location, redeem } = item;
    try {
      // Without a time: the service has the better clock.
      const { api } = this.#device;
      const wish = (await this.#isOther(data, type)) ? undefined : redeem;
      const scan = await api.scan({ data, type, reference, location, redeem: wish });
      this.#link.report();
      const outcome = { ...outcomeOf(scan), data, type, at, redeem };
      if (isUsedUp(scan, redeem)) await this.#list.noteUsedPass(scan.pass.id);
      await this.#note(item, outcome, false);
      await this.#outbox.settle(item);
      return outcome;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      this.#link.report(failure);
      if (failure.isPassing || failure.status === 401) return undefined;
      const outcome = { verdict: "rejected", reason: "refused", problem: failure.message };
      await this.#note(item, outcome, false);
      await this.#outbox.settle(item);
      return { ...outcome, data, type, at };
    }
  }

  /** Whether the pass is of a type that this device redeems nothing of. */
  async #isOther(data, type) {
    const { api, settings } = this.#device;
    if (settings.passTypes === undefined || settings.redeem === undefined) return false;
    const { pass } = await api.scan({ data, type, dryRun: true });
    return pass !== null && !settings.passTypes.includes(pass.passType);
  }

  async #decide(item) {
    const { data, type, occurredAt: at, redeem } = item;
    const { verdict, reason, name } = await this.#list.decide(data, { at, redeem });
    const decision = verdict === "unchecked" ? undefined : verdict;
    const outcome = { verdict, reason, data, type, at, redeem, isOffline: true };
    await this.#note(item, outcome, true);
    // The pass is marked before anyone is let in with it.
    if (verdict === "accepted" && redeem !== undefined) await this.#list.noteUsed(name);
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

/** Whether another scan like this one would find nothing left to redeem. */
function isUsedUp({ movement, privileges }, redeem) {
  if (movement === undefined || redeem === undefined) return false;
  const privilege = privileges.find(({ privilegeId }) => privilegeId === redeem.privilegeId);
  if (privilege === undefined || privilege.status !== "available") return true;
  return privilege.value !== null && privilege.value - privilege.minimum < redeem.amount;
}
