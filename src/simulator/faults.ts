/** How a simulated service can fail. `goaway` is only known to HTTP/2, and so to Apple's side. */
export const FAULT_KINDS = ["refuse", "slow", "500", "503", "429", "goaway", "cut"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  readonly kind: FaultKind;
  /** How long `slow` keeps a request waiting. */
  readonly delayMs: number;
  /** How many requests it hits before it ends by itself; undefined for all until it is cleared. */
  readonly times: number | undefined;
};

/** The fault that a service has at present. */
export class FaultSwitch {
  #fault: Fault | undefined;
  #left = 0;

  get current(): Fault | undefined {
    return this.#fault;
  }

  set(fault: Fault | undefined): void {
    this.#fault = fault;
    this.#left = fault?.times ?? Number.POSITIVE_INFINITY;
  }

  /** The fault that the request at hand meets; counts it. */
  take(): Fault | undefined {
    const fault = this.#fault;
    if (fault === undefined) return undefined;
    this.#left -= 1;
    if (this.#left <= 0) this.set(undefined);
    return fault;
  }
}
