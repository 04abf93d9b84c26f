/**
 * In the hands of whoever sent a request: tells whether it has gone out, and calls it off. Of one
 * request only. Much lighter than a signal, for those who send thousands.
 */
export class RequestTicket {
  #isUnderWay = false;
  #isCalledOff = false;
  #callOff: (() => void) | undefined;

  /** It has its connection: the other side may have got it. */
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

  /** For the one that carries the request out. */
  attach(callOff: () => void): void {
    this.#callOff = callOff;
  }

  noteStart(): void {
    this.#isUnderWay = true;
  }
}
