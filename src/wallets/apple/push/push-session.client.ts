import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";

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
const ACCEPTED = 200;
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

export type RawAnswer = { readonly status: number; readonly body: string };

/** What was asked for and cannot be sent yet: whether it may go is decided when it is called. */
type Waiting = () => void;

/**
 * One connection to the push service, which connects at its first request. It sends as many requests
 * at once as the service allows in its SETTINGS, and the others wait. After a GOAWAY or a failure it
 * takes no more requests (`isUsable`); those under way end by themselves.
 */
export class PushSession {
  readonly #session: ClientHttp2Session;
  readonly #waiting = new Set<Waiting>();
  #active = 0;
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
    return this.#active + this.#waiting.size;
  }

  /** True if one more request would have to wait for another one. */
  get isFull(): boolean {
    return this.#isConnected && this.load >= this.#streamsMax;
  }

  /** Rejects if the connection ends, or there is no answer in time. */
  request(headers: OutgoingHttpHeaders, body: Buffer, signal: AbortSignal): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const send = () => this.#send(headers, body, signal, resolve, reject);
      if (this.#hasRoom) send();
      else this.#wait(send, signal, reject);
    });
  }

  close(): void {
    this.#end();
    this.#session.close();
  }

  get #hasRoom(): boolean {
    return this.#isConnected && !this.#isOver && this.#active < this.#streamsMax;
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
    for (const go of waiting) go();
  }

  #wait(send: () => void, signal: AbortSignal, reject: (error: unknown) => void): void {
    const go = () => {
      this.#waiting.delete(go);
      forget();
      if (signal.aborted) reject(signal.reason);
      else if (this.#isOver) reject(this.#neverSent());
      else send();
    };
    const forget = onAbort(signal, go);
    if (this.#isOver) go();
    else this.#waiting.add(go);
  }

  #neverSent(): unknown {
    const hasFailed = !this.#isConnected && this.#failure !== undefined;
    return hasFailed ? this.#failure : new NotProcessed("The connection ended.");
  }

  #admit(): void {
    for (const go of this.#waiting) {
      if (!this.#hasRoom) return;
      go();
    }
  }

  #send(
    headers: OutgoingHttpHeaders,
    body: Buffer,
    signal: AbortSignal,
    resolve: (answer: RawAnswer) => void,
    reject: (error: unknown) => void,
  ): void {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(headers, SENDS_BODY);
    } catch (error) {
      // The connection is over, and nobody told us yet.
      reject(error);
      return;
    }
    this.#active += 1;
    this.#idleTimes = 0;
    let status: number | undefined;
    let text = "";
    let failure: unknown;
    // A connection on which an answer is missing is not trusted with more requests.
    const timer = setTimeout(() => this.#session.destroy(), ANSWER_MS_MAX);
    const forget = onAbort(signal, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on("response", (answered) => {
      status = answered[":status"];
      if (status === ACCEPTED) return;
      stream.setEncoding("utf8");
      stream.on("data", (chunk: string) => {
        if (text.length < BODY_LENGTH_MAX) text += chunk;
      });
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.on("close", () => {
      clearTimeout(timer);
      forget();
      this.#active -= 1;
      this.#admit();
      if (status !== undefined && stream.readableEnded) resolve({ status, body: text });
      else if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
        reject(new NotProcessed("The service goes away.", { cause: failure }));
      } else reject(failure ?? new Error("The request ended without an answer."));
    });
    // An accepted push has no body worth reading: what comes is dropped.
    stream.resume();
    stream.end(body);
  }
}

const aborts = new WeakMap<AbortSignal, Set<() => void>>();

function callAll(calls: ReadonlySet<() => void>): void {
  for (const call of calls) call();
}

/**
 * Calls `call` if the signal is aborted; the returned function forgets it. All requests of a batch
 * share a signal, and a signal with a thousand listeners compares each new one with all of them.
 */
function onAbort(signal: AbortSignal, call: () => void): () => void {
  let calls = aborts.get(signal);
  if (calls === undefined) {
    const made = new Set<() => void>();
    signal.addEventListener("abort", () => callAll(made), { once: true });
    aborts.set(signal, made);
    calls = made;
  }
  const known = calls;
  known.add(call);
  return () => known.delete(call);
}
