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

const TIMEOUT_MS = 30_000;

export function createClient(url: string): ApiClient {
  async function request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<ApiResponse> {
    const headers = new Headers(options.headers);
    if (options.key !== undefined) headers.set("x-api-key", options.key);
    if (options.bearer !== undefined) headers.set("authorization", `Bearer ${options.bearer}`);
    const body = options.body === undefined ? options.rawBody : JSON.stringify(options.body);
    if (options.body !== undefined && !headers.has("content-type")) {
      headers.set("content-type", "application/json");
    }
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: body as string }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(response);
    return { status: response.status, headers: response.headers, body: parse(text), text };
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

/** Of a stream, which does not end, the first piece. */
async function readText(response: Response): Promise<string> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const reader = isStream ? response.body?.getReader() : undefined;
  if (reader === undefined) return await response.text();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
