/**
 * Held by the sender of one request: says whether the request was sent, and can call it off. Much
 * cheaper than an AbortSignal, for callers that send thousands of requests.
 */
export class RequestTicket {
  #isUnderWay = false;
  #isCalledOff = false;
  #callOff: (() => void) | undefined;

  /** True once the request has a connection: the receiver may have got it. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  get isCalledOff(): boolean {
    return this.#isCalledOff;
  }

  callOff(): void {
    this.#isCalledOff = true;
    this.#callOff?.();
  }

  /** Called by the code that sends the request. */
  attach(callOff: () => void): void {
    this.#callOff = callOff;
  }

  noteStart(): void {
    this.#isUnderWay = true;
  }
}
