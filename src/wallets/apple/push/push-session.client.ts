import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { ACCEPTED } from "./push.answer.ts";

const CONNECT_MS_MAX = 10_000;
const ANSWER_MS_MAX = 20_000;
/** A connection that is unused for so long is asked whether it still lives. */
const IDLE_MS = 15 * 60_000;
/** After so many idle times it is closed. */
const IDLE_TIMES_MAX = 8;
const PING_MS_MAX = 10_000;
/** However many streams the service allows. */
const STREAMS_MAX = 1_000;
const BODY_LENGTH_MAX = 4_096;
const SENDS_BODY = { endStream: false };

export type SessionOptions = {
  readonly url: string;
  readonly ca: string | undefined;
  readonly cert: string;
  readonly key: string;
};

/** The service has surely not seen the request. */
export class NotProcessed extends Error {
  override readonly name = "NotProcessed";
}

/** Who asks: exactly one of these is called, once. */
export type Asker = {
  answered(status: number, body: string): void;
  /** The connection ended, or there was no answer in time. */
  failed(error: unknown): void;
};

/** Names and values in turn, with all that begin with a colon: what Node does not have to complete. */
export type RawHeaders = readonly string[];

/** What was asked for, and cannot be sent yet or is not answered yet. */
type Asked = {
  readonly headers: RawHeaders;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly asker: Asker;
};
type Sent = { readonly signal: AbortSignal; readonly at: number };

/**
 * One connection to the push service, which connects at its first request. It sends as many requests
 * at once as the service allows in its SETTINGS, and the others wait. After a GOAWAY or a failure it
 * takes no more requests (`isUsable`); those under way end by themselves.
 */
export class PushSession {
  readonly #session: ClientHttp2Session;
  readonly #waiting = new Set<Asked>();
  /** In the order in which they were sent. A timer or a listener for each would cost more than this. */
  readonly #sent = new Map<ClientHttp2Stream, Sent>();
  readonly #followed = new WeakSet<AbortSignal>();
  #watch: NodeJS.Timeout | undefined;
  #streamsMax = 1;
  #idleTimes = 0;
  #isConnected = false;
  #isOver = false;
  /** Why the connection ended, if it did so by a failure. */
  #failure: unknown;

  constructor({ url, ca, cert, key }: SessionOptions) {
    this.#session = connect(url, { cert, key, ...(ca === undefined ? {} : { ca }) });
    this.#begin();
  }

  /** False when a new request needs another connection. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** True once the service has said how many requests it takes at once. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** True if the connection failed before the service said anything. */
  get hasNeverConnected(): boolean {
    return this.#isOver && !this.#isConnected;
  }

  /** Requests that are under way or wait. */
  get load(): number {
    return this.#sent.size + this.#waiting.size;
  }

  /** True if one more request would have to wait for another one. */
  get isFull(): boolean {
    return this.#isConnected && this.load >= this.#streamsMax;
  }

  request(headers: RawHeaders, body: Buffer, signal: AbortSignal, asker: Asker): void {
    const asked = { headers, body, signal, asker };
    if (signal.aborted) asker.failed(signal.reason);
    else if (this.#hasRoom) this.#send(asked);
    else if (this.#isOver) asker.failed(this.#neverSent());
    else {
      this.#follow(signal);
      this.#waiting.add(asked);
    }
  }

  close(): void {
    this.#end();
    this.#session.close();
  }

  get #hasRoom(): boolean {
    return this.#isConnected && !this.#isOver && this.#sent.size < this.#streamsMax;
  }

  /** Requests begin with the first SETTINGS, which say how many may be sent at once. */
  #begin(): void {
    const session = this.#session;
    // The process may end while a connection is idle.
    session.unref();
    const timer = setTimeout(() => {
      session.destroy(new Error("The push service did not connect in time."));
    }, CONNECT_MS_MAX);
    const end = (error?: unknown) => {
      clearTimeout(timer);
      this.#failure ??= error;
      this.#end();
    };
    session.on("remoteSettings", ({ maxConcurrentStreams = STREAMS_MAX }) => {
      this.#streamsMax = Math.min(STREAMS_MAX, Math.max(1, maxConcurrentStreams));
      clearTimeout(timer);
      this.#isConnected = true;
      this.#admit();
    });
    session.on("goaway", () => this.#end());
    session.on("error", end);
    session.on("close", () => end());
    session.setTimeout(IDLE_MS, () => this.#checkIdle());
  }

  #checkIdle(): void {
    this.#idleTimes += 1;
    if (this.#idleTimes > IDLE_TIMES_MAX) {
      this.close();
      return;
    }
    const timer = setTimeout(() => this.#session.destroy(), PING_MS_MAX);
    const isSent = this.#session.ping((error) => {
      clearTimeout(timer);
      if (error !== null) this.#session.destroy();
    });
    if (!isSent) this.#session.destroy();
  }

  #end(): void {
    this.#isOver = true;
    // Those who wait find out and go to another connection.
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { asker } of waiting) asker.failed(this.#neverSent());
  }

  #neverSent(): unknown {
    const hasFailed = !this.#isConnected && this.#failure !== undefined;
    return hasFailed ? this.#failure : new NotProcessed("The connection ended.");
  }

  #admit(): void {
    for (const asked of this.#waiting) {
      if (!this.#hasRoom) return;
      this.#waiting.delete(asked);
      this.#send(asked);
    }
  }

  #send({ headers, body, signal, asker }: Asked): void {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(headers, SENDS_BODY);
    } catch (error) {
      // The connection is over, and nobody told us yet.
      asker.failed(error);
      return;
    }
    this.#sent.set(stream, { signal, at: performance.now() });
    this.#watch ??= setTimeout(() => this.#checkAnswers(), ANSWER_MS_MAX).unref();
    this.#follow(signal);
    this.#idleTimes = 0;
    let status: number | undefined;
    let text = "";
    let failure: unknown;
    stream.on("response", (answered) => {
      status = answered[":status"];
      if (status === ACCEPTED.status) return;
      stream.setEncoding("utf8");
      stream.on("data", (chunk: string) => {
        if (text.length < BODY_LENGTH_MAX) text += chunk;
      });
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.on("close", () => {
      this.#sent.delete(stream);
      this.#admit();
      if (status !== undefined && stream.readableEnded) asker.answered(status, text);
      else if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
        asker.failed(new NotProcessed("The service goes away.", { cause: failure }));
      } else asker.failed(failure ?? new Error("The request ended without an answer."));
    });
    // An accepted push has no body worth reading: what comes is dropped.
    stream.resume();
    stream.end(body);
  }

  /** A connection on which an answer is missing is not trusted with more requests. */
  #checkAnswers(): void {
    this.#watch = undefined;
    const [oldest] = this.#sent.values();
    if (oldest === undefined) return;
    const leftMs = oldest.at + ANSWER_MS_MAX - performance.now();
    if (leftMs <= 0) this.#session.destroy();
    else this.#watch = setTimeout(() => this.#checkAnswers(), leftMs).unref();
  }

  /** Gives up what belongs to the signal when it is aborted. All requests of a batch share one. */
  #follow(signal: AbortSignal): void {
    if (this.#followed.has(signal)) return;
    this.#followed.add(signal);
    const giveUp = () => {
      for (const [stream, sent] of this.#sent) {
        if (sent.signal === signal) stream.close(constants.NGHTTP2_CANCEL);
      }
      for (const asked of this.#waiting) {
        if (asked.signal === signal && this.#waiting.delete(asked))
          asked.asker.failed(signal.reason);
      }
    };
    signal.addEventListener("abort", giveUp, { once: true });
  }
}
