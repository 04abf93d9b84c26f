import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { EgressError, exchangeFailure } from "./egress-error.ts";
import type { RequestTicket } from "./request-ticket.ts";

export type GuardedAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came over the wire: nothing is ever unpacked. */
  readonly body: Buffer;
  /** There was more than `bodyBytesMax`; the rest was not read. */
  readonly bodyWasCut: boolean;
  readonly timing: {
    /** Absent when a connection was open already. */
    readonly connectMs?: number;
    readonly totalMs: number;
  };
};

export type ExchangeOptions = {
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  readonly signal: AbortSignal | undefined;
  /** How long the connection took that this request waited for. */
  readonly takeConnectMs: () => number | undefined;
  readonly ticket: RequestTicket | undefined;
  /** Called once, when the HTTP library is done with the request: maybe later than the answer is given. */
  readonly onFinished: () => void;
};

/** One request and its answer. It settles once: by the answer, an error, the deadline or its caller. */
export class GuardedExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<GuardedAnswer>;
  readonly #options: ExchangeOptions;
  readonly #startedAt = performance.now();
  readonly #deadline: NodeJS.Timeout;
  readonly #settle: PromiseWithResolvers<GuardedAnswer>;
  #isSettled = false;
  #isFinished = false;
  #controller: Dispatcher.DispatchController | undefined;
  #connectMs: number | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #bodyBytes = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#settle = Promise.withResolvers();
    this.answer = this.#settle.promise;
    this.#deadline = setTimeout(
      () => this.#stop(new EgressError("egress.timeout")),
      options.timeoutMs,
    );
    options.signal?.addEventListener("abort", this.#onAbort);
    options.ticket?.attach(() => this.#stop(new EgressError("egress.closed")));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connectMs = this.#options.takeConnectMs();
    // It waited for a connection longer than its caller for it.
    if (this.#isSettled) controller.abort(new EgressError("egress.timeout"));
    else this.#options.ticket?.noteStart();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An interim answer; the deadline ends a stream of them.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#options.bodyBytesMax - this.#bodyBytes;
    this.#bodyBytes += chunk.length;
    if (chunk.length <= room) {
      this.#chunks.push(chunk);
      return;
    }
    this.#chunks.push(chunk.subarray(0, room));
    this.#succeed(true);
    controller.abort(new EgressError("egress.closed"));
  }

  onResponseEnd(): void {
    this.#succeed(false);
    this.#finish();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(exchangeFailure(error));
    this.#finish();
  }

  readonly #onAbort = (): void => {
    this.#stop(this.#options.signal?.reason);
  };

  #stop(reason: unknown): void {
    this.#fail(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new EgressError("egress.closed"));
  }

  #succeed(bodyWasCut: boolean): void {
    if (!this.#close()) return;
    const [only, ...more] = this.#chunks;
    this.#settle.resolve({
      status: this.#status,
      headers: this.#headers,
      body: only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks),
      bodyWasCut,
      timing: {
        ...(this.#connectMs === undefined ? {} : { connectMs: this.#connectMs }),
        totalMs: performance.now() - this.#startedAt,
      },
    });
  }

  #fail(reason: unknown): void {
    if (this.#close()) this.#settle.reject(reason);
  }

  #close(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    return true;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#chunks = [];
    this.#options.onFinished();
  }
}
