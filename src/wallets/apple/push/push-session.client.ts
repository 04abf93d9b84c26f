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

/**
 * One connection to the push service, which connects at its first request. It sends as many requests
 * at once as the service allows in its SETTINGS, and the others wait. After a GOAWAY or a failure it
 * takes no more requests (`isUsable`); those under way end by themselves.
 */
export class PushSession {
  readonly #session: ClientHttp2Session;
  readonly #ready: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #active = 0;
  #streamsMax = 1;
  #idleTimes = 0;
  #isConnected = false;
  #isOver = false;

  constructor({ url, ca, cert, key }: SessionOptions) {
    this.#session = connect(url, { cert, key, ...(ca === undefined ? {} : { ca }) });
    this.#ready = this.#begin();
    // Requests that wait for it see the failure; without any, nobody needs to know.
    this.#ready.catch(() => undefined);
  }

  /** False when a new request needs another connection. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** True if the connection failed before the service said anything. */
  get hasNeverConnected(): boolean {
    return this.#isOver && !this.#isConnected;
  }

  /** Rejects if the connection ends, or there is no answer in time. */
  async request(
    headers: OutgoingHttpHeaders,
    body: string,
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    await this.#ready;
    await this.#takeSlot(signal);
    this.#idleTimes = 0;
    try {
      return await this.#send(headers, body, signal);
    } finally {
      this.#active -= 1;
      this.#admit();
    }
  }

  close(): void {
    this.#end();
    this.#session.close();
  }

  /** Resolves with the first SETTINGS, which say how many requests may be sent at once. */
  #begin(): Promise<void> {
    const session = this.#session;
    // The process may end while a connection is idle.
    session.unref();
    return new Promise((resolve, reject) => {
      const fail = (error?: unknown) => {
        clearTimeout(timer);
        this.#end();
        reject(error ?? new Error("The connection ended."));
      };
      const timer = setTimeout(() => {
        session.destroy(new Error("The push service did not connect in time."));
      }, CONNECT_MS_MAX);
      session.on("remoteSettings", ({ maxConcurrentStreams = STREAMS_MAX }) => {
        this.#streamsMax = Math.min(STREAMS_MAX, Math.max(1, maxConcurrentStreams));
        clearTimeout(timer);
        this.#isConnected = true;
        resolve();
        this.#admit();
      });
      session.on("goaway", () => this.#end());
      session.on("error", fail);
      session.on("close", () => fail());
      session.setTimeout(IDLE_MS, () => this.#checkIdle());
    });
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
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  async #takeSlot(signal: AbortSignal): Promise<void> {
    while (!this.#isOver && this.#active >= this.#streamsMax) {
      await new Promise<void>((resolve) => {
        const go = () => {
          forget();
          this.#waiting.delete(go);
          resolve();
        };
        const forget = onAbort(signal, go);
        this.#waiting.add(go);
      });
      signal.throwIfAborted();
    }
    if (this.#isOver) throw new NotProcessed("The connection ended.");
    this.#active += 1;
  }

  #admit(): void {
    let free = this.#streamsMax - this.#active;
    for (const go of this.#waiting) {
      if (free <= 0) return;
      free -= 1;
      go();
    }
  }

  #send(headers: OutgoingHttpHeaders, body: string, signal: AbortSignal): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      // Throws if the connection is over: the promise rejects.
      const stream: ClientHttp2Stream = this.#session.request(headers, { endStream: false });
      let status: number | undefined;
      let isWhole = false;
      let text = "";
      const abort = () => stream.close(constants.NGHTTP2_CANCEL);
      // A connection on which an answer is missing is not trusted with more requests.
      const timer = setTimeout(() => this.#session.destroy(), ANSWER_MS_MAX);
      const forget = onAbort(signal, abort);
      stream.setEncoding("utf8");
      stream.on("response", (answered) => {
        status = answered[":status"];
      });
      stream.on("data", (chunk: string) => {
        if (text.length < BODY_LENGTH_MAX) text += chunk;
      });
      stream.on("end", () => {
        isWhole = true;
      });
      let failure: unknown;
      stream.on("error", (error) => {
        failure = error;
      });
      stream.on("close", () => {
        clearTimeout(timer);
        forget();
        if (status !== undefined && isWhole) resolve({ status, body: text });
        else if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
          reject(new NotProcessed("The service goes away.", { cause: failure }));
        } else reject(failure ?? new Error("The request ended without an answer."));
      });
      stream.end(body);
    });
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
