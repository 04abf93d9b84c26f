import { randomUUID } from "node:crypto";
import {
  constants,
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { type Authority, makeServerCertificate } from "../certificates/authority.ts";
import { type Fault, FaultSwitch } from "../faults.ts";
import { Listener } from "../listener.ts";
import {
  answerPush,
  type ClientCertificate,
  type PushAnswer,
  type TokenBook,
  tokenOf,
} from "./apns.answers.ts";

/** One push as the log of the simulator shows it. */
export type PushEntry = {
  readonly at: string;
  /** Only the beginning: a token is the address of a device. */
  readonly token: string;
  readonly topic: string;
  readonly status: number;
  readonly reason: string | undefined;
};

const LOG_MAX = 500;
const BODY_BYTES_READ_MAX = 64 * 1024;
const STREAMS_MAX = 1_000;
/** Time for the frame that says so to leave, before the connection goes. */
const GOAWAY_MS = 50;

/** Faults that are an answer, whatever was sent. */
const FAILURES: Readonly<Record<string, PushAnswer>> = {
  500: { status: 500, reason: "InternalServerError" },
  503: { status: 503, reason: "ServiceUnavailable" },
  429: { status: 429, reason: "TooManyRequests" },
};

type Options = {
  readonly authority: Authority;
  readonly tokens: TokenBook;
  /** A push was accepted for this device. */
  onPush(token: string): void;
};

/** Apple's push service for passes: HTTP/2 over TLS, clients known by their certificates. */
export class ApnsServer {
  readonly faults = new FaultSwitch();
  readonly #options: Options;
  readonly #listener: Listener;
  readonly #counts = new Map<string, number>();
  readonly #entries: PushEntry[] = [];
  readonly #certificates = new WeakMap<Http2Session, ClientCertificate>();

  constructor(options: Options) {
    this.#options = options;
    const { certificatePem, keyPem } = makeServerCertificate(options.authority);
    const server = createSecureServer({
      cert: certificatePem,
      key: keyPem,
      requestCert: true,
      // The authorities of pass type certificates are Apple's, or the product's own in development.
      rejectUnauthorized: false,
      minVersion: "TLSv1.2",
      settings: { maxConcurrentStreams: STREAMS_MAX },
    });
    server.on("session", (session) => session.on("error", () => undefined));
    server.on("stream", (stream, headers) => this.#take(stream, headers));
    this.#listener = new Listener(server);
  }

  get url(): string {
    return `https://localhost:${this.#listener.port}`;
  }

  open(): Promise<void> {
    return this.#listener.open();
  }

  close(): Promise<void> {
    return this.#listener.shut();
  }

  async setFault(fault: Fault | undefined): Promise<void> {
    this.faults.set(fault);
    if (fault?.kind === "refuse") await this.#listener.shut();
    else await this.#listener.open();
  }

  /** How many pushes had which outcome, and the last of them. */
  report(): { counts: Record<string, number>; pushes: readonly PushEntry[] } {
    return { counts: Object.fromEntries(this.#counts), pushes: this.#entries.toReversed() };
  }

  forget(): void {
    this.#counts.clear();
    this.#entries.length = 0;
  }

  #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on("error", () => undefined);
    let bodyBytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bodyBytes += chunk.length;
      if (bodyBytes > BODY_BYTES_READ_MAX) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    });
    stream.on("end", () => {
      if (!stream.destroyed) this.#decide(stream, headers, bodyBytes);
    });
  }

  #decide(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, bodyBytes: number): void {
    const { session } = stream;
    if (session === undefined) return;
    const fault = this.faults.take();
    const failure = FAILURES[fault?.kind ?? ""];
    if (failure !== undefined) {
      this.#answer(stream, headers, failure);
      return;
    }
    if (fault?.kind === "goaway") {
      this.#goAway(stream, session as ServerHttp2Session, headers);
      return;
    }
    const answer = this.#judge(stream, session, headers, bodyBytes);
    if (fault?.kind === "cut") {
      // The push arrived and the device is told; only the answer never leaves.
      this.#note(headers, { ...answer, reason: "cut" });
      this.#listener.cut(session.socket.remotePort);
    } else if (fault?.kind === "slow") {
      setTimeout(() => this.#answer(stream, headers, answer), fault.delayMs).unref();
    } else {
      this.#answer(stream, headers, answer);
    }
  }

  #judge(
    stream: ServerHttp2Stream,
    session: Http2Session,
    headers: IncomingHttpHeaders,
    bodyBytes: number,
  ): PushAnswer {
    const path = String(headers[":path"]);
    const request = {
      method: String(headers[":method"]),
      path,
      headers: headers as Record<string, string | undefined>,
      bodyBytes,
      certificate: this.#certificateOf(session),
    };
    const answer = answerPush(request, this.#options.tokens, Date.now());
    if (answer.status === 200 && !stream.destroyed) this.#options.onPush(tokenOf(path));
    return answer;
  }

  #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, answer: PushAnswer): void {
    if (stream.destroyed) return;
    this.#note(headers, answer);
    const { status, reason, timestamp } = answer;
    const id = headers["apns-id"] ?? randomUUID().toUpperCase();
    if (reason === undefined) {
      stream.respond({ ":status": status, "apns-id": id }, { endStream: true });
      return;
    }
    stream.respond({ ":status": status, "apns-id": id, "content-type": "application/json" });
    stream.end(JSON.stringify({ reason, ...(timestamp === undefined ? {} : { timestamp }) }));
  }

  /** Tells that this request and later ones were not processed, as a server does that goes down. */
  #goAway(
    stream: ServerHttp2Stream,
    session: ServerHttp2Session,
    headers: IncomingHttpHeaders,
  ): void {
    this.#note(headers, { status: 0, reason: "goaway" });
    const lastDone = Math.max(0, (stream.id ?? 1) - 2);
    const reason = Buffer.from(JSON.stringify({ reason: "Shutdown" }));
    session.goaway(constants.NGHTTP2_NO_ERROR, lastDone, reason);
    setTimeout(() => session.destroy(), GOAWAY_MS).unref();
  }

  /** Read once for each connection: it cannot change, and parsing it costs more than an answer. */
  #certificateOf(session: Http2Session): ClientCertificate | undefined {
    const known = this.#certificates.get(session);
    if (known !== undefined) return known;
    const shown = (session.socket as TLSSocket).getPeerCertificate();
    if (shown?.subject === undefined) return undefined;
    const { UID: uid } = shown.subject as unknown as Record<string, string | undefined>;
    const certificate = { uid, validTo: Date.parse(shown.valid_to) };
    this.#certificates.set(session, certificate);
    return certificate;
  }

  #note(headers: IncomingHttpHeaders, { status, reason }: PushAnswer): void {
    const key = reason ?? String(status);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#entries.push({
      at: new Date().toISOString(),
      token: `${tokenOf(String(headers[":path"])).slice(0, 8)}…`,
      topic: String(headers["apns-topic"] ?? ""),
      status,
      reason,
    });
    if (this.#entries.length > LOG_MAX) this.#entries.shift();
  }
}
