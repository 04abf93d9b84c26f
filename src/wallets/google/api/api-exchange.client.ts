import { parseJson } from "#kernel/json.ts";
import type { GoogleFailure, GoogleReply } from "./api.outcome.ts";

/** No request to Google takes longer. */
export const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 1024 * 1024;

export type GoogleRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
};

export type GoogleExchange =
  | (GoogleReply & { readonly headers: Headers })
  | (GoogleFailure & { readonly kind: "unavailable" });

/**
 * Sends one request to a service of Google. These addresses come from the operator and not from
 * tenants, so they are called directly.
 */
export async function exchange(request: GoogleRequest): Promise<GoogleExchange> {
  const { method, url, headers = {}, body } = request;
  const limits = [AbortSignal.timeout(TIMEOUT_MS)];
  if (request.signal !== undefined) limits.push(request.signal);
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: "error",
      signal: AbortSignal.any(limits),
      ...(body === undefined ? {} : { body }),
    });
    const text = await readLimited(response);
    const retryAfter = response.headers.get("retry-after");
    return {
      status: response.status,
      retryAfter,
      body: parseJson(text),
      headers: response.headers,
    };
  } catch (error) {
    return { kind: "unavailable", message: `Google did not answer (${codeOf(error)}).` };
  }
}

/**
 * A code such as ECONNREFUSED or TimeoutError: messages of the network may name addresses of the
 * operator, and tenants read this.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "NoAnswer";
  const { cause = error } = error;
  if (!(cause instanceof Error)) return "NoAnswer";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
