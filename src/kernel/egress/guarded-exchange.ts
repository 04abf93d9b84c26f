import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { ByteCollector } from "../byte-collector.ts";
import { EgressError, exchangeFailure } from "./egress-error.ts";
import type { RequestTicket } from "./request-ticket.ts";

export type GuardedAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as received, never decompressed. */
  readonly body: Buffer;
  /** True if the answer was longer than `bodyBytesMax`; the rest was not read. */
  readonly bodyWasCut: boolean;
  readonly timing: {
    /** Undefined if the connection was already open. */
    readonly connectMs?: number;
    readonly totalMs: number;
  };
};

export type ExchangeOptions = {
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  readonly signal: AbortSignal | undefined;
  /** Returns the time that the connection for this request took to open. */
  readonly takeConnectMs: () => number | undefined;
  readonly ticket: RequestTicket | undefined;
};

const NO_BYTES = Buffer.alloc(0);

/**
 * One request and its answer. It settles once: by the answer, an error, the deadline or the caller.
 */
export class GuardedExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<GuardedAnswer>;
  readonly #options: ExchangeOptions;
  readonly #startedAt = performance.now();
  readonly #deadline: NodeJS.Timeout;
  readonly #settle: PromiseWithResolvers<GuardedAnswer>;
  #isSettled = false;
  #onFinished: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #connectMs: number | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  /** Created with the first chunk, because many answers have no body. */
  #body: ByteCollector | undefined;

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

  /** True if the caller has an answer or an error. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /**
   * Calls this function once, when the HTTP library has finished with the request, which may be
   * after the answer.
   */
  whenFinished(onFinished: () => void): void {
    this.#onFinished = onFinished;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connectMs = this.#options.takeConnectMs();
    // The caller gave up while the request waited for a connection.
    if (this.#isSettled) controller.abort(new EgressError("egress.timeout"));
    else this.#options.ticket?.noteStart();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An interim answer (1xx) is ignored; the deadline limits an endless series of them.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body ??= new ByteCollector();
    const room = this.#options.bodyBytesMax - this.#body.sizeBytes;
    if (chunk.length <= room) {
      this.#body.add(chunk);
      return;
    }
    this.#body.add(chunk.subarray(0, room));
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
    this.#settle.resolve({
      status: this.#status,
      headers: this.#headers,
      body: this.#body?.take() ?? NO_BYTES,
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
    const onFinished = this.#onFinished;
    this.#onFinished = undefined;
    this.#body = undefined;
    onFinished?.();
  }
}
