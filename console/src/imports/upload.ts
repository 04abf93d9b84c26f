import type { components } from "../../generated/schema.ts";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { accessToken, replaceToken } from "../session/session.ts";
import { settings } from "../settings.ts";

type Import = components["schemas"]["Import"];

export type Upload = {
  readonly tenantId: string;
  readonly file: File;
  readonly dryRun: boolean;
  readonly again: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
};

/**
 * Sends a file as it is. `fetch` does not tell how much it has sent, so this is the older way. A token
 * that is refused is replaced, and the file is sent once more.
 */
export async function upload(wish: Upload): Promise<Import> {
  // The same for both attempts, so that they are one import.
  const once = crypto.randomUUID();
  const token = await accessToken();
  const first = await send(wish, token, once);
  if (first.status !== 401) return read(first);
  await replaceToken(token);
  return read(await send(wish, await accessToken(), once));
}

function send(wish: Upload, token: string, once: string): Promise<Response> {
  const { tenantId, file, dryRun, again, signal, onProgress } = wish;
  const url = new URL(`${settings.baseUrl}/api/${encodeURIComponent(tenantId)}/admin/imports`);
  url.searchParams.set("fileName", file.name);
  if (dryRun) url.searchParams.set("dryRun", "true");
  if (again) url.searchParams.set("again", "true");
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("authorization", `Bearer ${token}`);
    request.setRequestHeader("idempotency-key", once);
    // What the file is, is found out by its contents.
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("accept", "application/json");
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(responseOf(request));
    request.onerror = () => reject(new Unreachable("The server cannot be reached."));
    request.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = { "x-request-id": request.getResponseHeader("x-request-id") ?? "" };
  const { status, statusText } = request;
  return new Response(request.responseText, { status, statusText, headers });
}

async function read(response: Response): Promise<Import> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiProblem(response, body);
  return body as Import;
}
