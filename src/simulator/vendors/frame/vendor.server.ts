import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Listener } from "../../listener.ts";
import { type AnswerFault, AnswerFaults, type AnswerFaultWish } from "./answer.faults.ts";
import type { VendorClock } from "./clock.ts";

export type VendorRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** An object is sent as JSON, a text as it is. */
export type VendorAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One request as it came, in the order of arrival. */
export type TakenRequest = {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly fault: AnswerFault["kind"] | null;
  /** Null while it waits, and if the connection ended without an answer. */
  status: number | null;
  sentBytes: number;
};

const BODY_BYTES_MAX = 4 * 1024 * 1024;
const LOGGED_CHARS_MAX = 64 * 1024;
const LOG_MAX = 1_000;
const HUGE_BYTES_MAX = 512 * 1024 * 1024;
/** Where a redirect leads: to this server by another name. */
const ELSEWHERE = "/elsewhere";

type Options = {
  readonly clock: VendorClock;
  readonly answer: (request: VendorRequest) => VendorAnswer | Promise<VendorAnswer>;
  /** The port of an earlier start, so that addresses that were configured stay good. */
  readonly port?: number | undefined;
};

/** The API of one vendor on a socket of its own. */
export class VendorServer {
  readonly faults: AnswerFaults;
  readonly requests: TakenRequest[] = [];
  readonly #options: Options;
  readonly #listener: Listener;

  constructor(options: Options) {
    this.#options = options;
    this.faults = new AnswerFaults(options.clock);
    const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
      void this.#take(request, response).catch(() => response.destroy());
    });
    this.#listener = new Listener(server, options.port);
  }

  get port(): number {
    return this.#listener.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  open(): Promise<void> {
    return this.#listener.open();
  }

  close(): Promise<void> {
    return this.#listener.shut();
  }

  async setFault(wish: AnswerFaultWish | undefined): Promise<AnswerFault | undefined> {
    if (wish === undefined) this.faults.clear();
    else this.faults.set(wish);
    const fault = this.faults.current;
    if (fault?.kind !== "refuse") await this.#listener.open();
    else await this.#listener.shut();
    if (fault?.kind === "refuse" && wish?.seconds !== undefined) {
      this.#options.clock.after(wish.seconds * 1_000, () => this.#reopen(fault));
    }
    return fault;
  }

  forget(): void {
    this.requests.length = 0;
  }

  async #reopen(fault: AnswerFault): Promise<void> {
    const { current } = this.faults;
    if (current === undefined || current === fault) await this.setFault(undefined);
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const request = describe(incoming, body ?? Buffer.alloc(0), this.url);
    const fault = this.faults.take(request.path);
    const entry = this.#note(incoming, request, fault);
    if (fault?.kind === "cut") return void response.destroy();
    if (fault?.kind === "slow") await pause(fault.delayMs, response);
    const answer =
      body === undefined
        ? { status: 413, body: { success: false, error: "Request entity too large" } }
        : (this.#failing(fault, request) ?? (await this.#options.answer(request)));
    if (fault?.kind === "cut-after" || response.destroyed) return void response.destroy();
    entry.status = answer.status;
    await this.#send(response, answer, { fault, entry });
  }

  /** The whole answer of faults that do not come to the vendor's own code. */
  #failing(fault: AnswerFault | undefined, request: VendorRequest): VendorAnswer | undefined {
    const html = { "content-type": "text/html; charset=utf-8" };
    switch (fault?.kind) {
      case "429":
        return {
          status: 429,
          body: { error: "Too many requests" },
          headers: { "retry-after": "1" },
        };
      case "500":
      case "502":
      case "503":
        return { status: Number(fault.kind), body: "<h1>Something went wrong</h1>", headers: html };
      case "redirect": {
        const location = `http://localhost:${this.port}${ELSEWHERE}`;
        return { status: 302, body: "", headers: { location } };
      }
      case "html":
        return { status: 200, body: "<!doctype html><title>Welcome</title>", headers: html };
      case "not-json":
        return { status: 200, body: '{"success":true,', headers: JSON_TYPE };
      case "wrong-json":
        return { status: 200, body: '["success",true]', headers: JSON_TYPE };
      case "echo":
        return { status: 200, body: repeat(request) };
      case "huge":
        return { status: 200, body: '{"success":true,"padding":"', headers: JSON_TYPE };
      default:
        return undefined;
    }
  }

  async #send(
    response: ServerResponse,
    { status, body, headers }: VendorAnswer,
    { fault, entry }: { fault: AnswerFault | undefined; entry: TakenRequest },
  ): Promise<void> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    entry.sentBytes = Buffer.byteLength(text);
    response.writeHead(status, { ...JSON_TYPE, ...headers });
    if (fault?.kind === "huge") return await pourOut(response, text, entry);
    if (fault?.kind === "drip") return await drip(response, text, fault.delayMs);
    if (fault?.kind === "half") {
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      return;
    }
    response.end(text);
  }

  #note(
    { url = "" }: IncomingMessage,
    { method, headers, body }: VendorRequest,
    fault: AnswerFault | undefined,
  ): TakenRequest {
    const entry: TakenRequest = {
      at: this.#options.clock.wall().toISOString(),
      method,
      path: url.slice(0, 2_000),
      headers,
      body: body.toString().slice(0, LOGGED_CHARS_MAX),
      fault: fault?.kind ?? null,
      status: null,
      sentBytes: 0,
    };
    this.requests.push(entry);
    if (this.requests.length > LOG_MAX) this.requests.shift();
    return entry;
  }
}

/** Written for whoever shows people what a vendor said. */
function repeat({ headers, body }: VendorRequest): object {
  const { authorization = "" } = headers;
  const basic = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
  const said = `No: ${authorization} ${basic} ${body.toString()}`;
  return { success: false, error: said, errors: [said], "error-codes": [said], hostname: said };
}

const JSON_TYPE = { "content-type": "application/json" };

function describe(incoming: IncomingMessage, body: Buffer, base: string): VendorRequest {
  const url = URL.parse(incoming.url ?? "/", base) ?? new URL(base);
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    body,
  };
}

/** Undefined for a body that is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= BODY_BYTES_MAX) parts.push(part);
  }
  return size > BODY_BYTES_MAX ? undefined : Buffer.concat(parts);
}

/** Ends early if the caller goes away. */
async function pause(delayMs: number, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  await sleep(delayMs, undefined, { ref: false, signal: gone.signal }).catch(() => undefined);
}

async function pourOut(
  response: ServerResponse,
  start: string,
  entry: TakenRequest,
): Promise<void> {
  const part = Buffer.alloc(64 * 1024, "a");
  response.write(start);
  while (entry.sentBytes < HUGE_BYTES_MAX && !response.destroyed) {
    entry.sentBytes += part.length;
    if (response.write(part)) continue;
    await drained(response);
  }
  response.end('"}');
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      response.off("drain", goOn).off("close", goOn);
      resolve();
    };
    response.on("drain", goOn).on("close", goOn);
  });
}

async function drip(response: ServerResponse, text: string, lastsMs: number): Promise<void> {
  const end = performance.now() + lastsMs;
  let at = 0;
  while (performance.now() < end && at < text.length - 1 && !response.destroyed) {
    response.write(text.slice(at, at + 1));
    at += 1;
    await pause(1_000, response);
  }
  response.end(text.slice(at));
}
