import type { VendorClock } from "./clock.ts";

/** How the API of a simulated vendor can fail. */
export const ANSWER_FAULT_KINDS = [
  /** Connections are refused. */
  "refuse",
  /** The answer comes after `delayMs`. */
  "slow",
  /** The head comes at once, and then one byte a second for `delayMs`. */
  "drip",
  "429",
  "500",
  "502",
  "503",
  /** To an address of another host that notes what it is sent. */
  "redirect",
  /** An answer without an end. */
  "huge",
  /** A page for people, with the status of success. */
  "html",
  /** Says that it is JSON, and is not. */
  "not-json",
  /** JSON of another shape. */
  "wrong-json",
  /** Says no with the status of success, and repeats all that it was sent, credentials too. */
  "echo",
  /** Half of the answer, and then the connection ends. */
  "half",
  /** The connection ends before anything is done. */
  "cut",
  /** All is done, and the connection ends before the answer. */
  "cut-after",
] as const;
export type AnswerFaultKind = (typeof ANSWER_FAULT_KINDS)[number];

export type AnswerFaultWish = {
  readonly kind: AnswerFaultKind;
  readonly delayMs?: number;
  /** How many requests it hits before it ends by itself. */
  readonly times?: number;
  /** How long it lasts by the time of the vendors, such as 3600 for an hour. */
  readonly seconds?: number;
  /** Only requests whose address contains this. */
  readonly path?: string;
};

export type AnswerFault = {
  readonly kind: AnswerFaultKind;
  readonly delayMs: number;
  readonly path: string;
  readonly until: string | null;
  readonly timesLeft: number | null;
};

export const SLOW_MS = 60_000;

/** The fault that the API of a vendor has at present. */
export class AnswerFaults {
  readonly #clock: VendorClock;
  #fault: AnswerFault | undefined;

  constructor(clock: VendorClock) {
    this.#clock = clock;
  }

  get current(): AnswerFault | undefined {
    const { until } = this.#fault ?? {};
    if (until && this.#clock.now() >= new Date(until)) this.#fault = undefined;
    return this.#fault;
  }

  set(wish: AnswerFaultWish): AnswerFault {
    const { kind, delayMs = SLOW_MS, times = null, seconds, path = "" } = wish;
    const end = seconds && new Date(this.#clock.now().getTime() + seconds * 1_000).toISOString();
    this.#fault = { kind, delayMs, path, until: end || null, timesLeft: times };
    return this.#fault;
  }

  clear(): void {
    this.#fault = undefined;
  }

  /** The fault that a request to this address meets; counts it. */
  take(path: string): AnswerFault | undefined {
    const fault = this.current;
    if (fault === undefined || !path.includes(fault.path)) return undefined;
    if (fault.timesLeft !== null) {
      const timesLeft = fault.timesLeft - 1;
      this.#fault = timesLeft > 0 ? { ...fault, timesLeft } : undefined;
    }
    return fault;
  }
}
