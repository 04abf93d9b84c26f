import type { IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Agent, type Dispatcher } from "undici";

export type RequestOptions = {
  readonly key?: string | undefined;
  readonly bearer?: string | undefined;
  readonly body?: unknown;
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ApiResponse = {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
  readonly text: string;
};

type Send = (path: string, options?: RequestOptions) => Promise<ApiResponse>;

export type ApiClient = {
  readonly url: string;
  request(method: string, path: string, options?: RequestOptions): Promise<ApiResponse>;
  readonly get: Send;
  readonly post: Send;
  readonly put: Send;
  readonly patch: Send;
  readonly delete: Send;
};

const TIMEOUT_MS = 90_000;
/** What `fetch` says of a text whose type nobody names. */
const PLAIN_TEXT = "text/plain;charset=UTF-8";

/**
 * Not `fetch`, which takes several times as much of the processor for each request: thousands of
 * requests of the suite would pay for it.
 */
const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });

export function createClient(url: string): ApiClient {
  async function request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<ApiResponse> {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      headers[name.toLowerCase()] = value;
    }
    if (options.key !== undefined) headers["x-api-key"] = options.key;
    if (options.bearer !== undefined) headers.authorization = `Bearer ${options.bearer}`;
    const body = options.body === undefined ? options.rawBody : JSON.stringify(options.body);
    if (typeof body === "string") {
      headers["content-type"] ??= options.body === undefined ? PLAIN_TEXT : "application/json";
    }
    const { origin, pathname, search } = new URL(url + path);
    const response = await agent.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await readText(response.body, response.headers);
    return toResponse(response, text);
  }

  const send =
    (method: string): Send =>
    (path, options) =>
      request(method, path, options);
  return {
    url,
    request,
    get: send("GET"),
    post: send("POST"),
    put: send("PUT"),
    patch: send("PATCH"),
    delete: send("DELETE"),
  };
}

/** What most tests do not look at is read when they do. */
function toResponse({ statusCode, headers }: Dispatcher.ResponseData, text: string): ApiResponse {
  let read: Headers | undefined;
  let parsed: { readonly value: unknown } | undefined;
  return {
    status: statusCode,
    text,
    get headers() {
      read ??= toHeaders(headers);
      return read;
    },
    get body() {
      parsed ??= { value: parse(text) };
      return parsed.value;
    },
  };
}

function toHeaders(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(received)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  return headers;
}

const UNPACKERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** Of a stream, which does not end, the first piece. */
async function readText(
  body: Dispatcher.ResponseData["body"],
  headers: IncomingHttpHeaders,
): Promise<string> {
  if (headers["content-type"]?.startsWith("text/event-stream")) {
    for await (const piece of body) return String(piece);
    return "";
  }
  const unpack = UNPACKERS[headers["content-encoding"] ?? ""];
  if (unpack === undefined) return await body.text();
  return unpack(Buffer.from(await body.arrayBuffer())).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
