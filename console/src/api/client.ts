import createClient from "openapi-fetch";
import type { paths } from "../../generated/schema.ts";
import { accessToken, replaceToken } from "../session/session.ts";
import { settings } from "../settings.ts";
import { ApiProblem, Unreachable } from "./problem.ts";

const TIMEOUT_MS = 30_000;

/**
 * Sends a request with the token of the person. If the token is refused, the request waits until
 * there is another one, and is sent again: a session that ends loses nothing.
 */
export async function authorizedFetch(
  request: Request,
  timeoutMs: number | "never" = TIMEOUT_MS,
): Promise<Response> {
  const again = request.clone();
  const token = await accessToken();
  const response = await send(request, token, timeoutMs);
  if (response.status !== 401) return response;
  await response.body?.cancel();
  await replaceToken(token);
  return await send(again, await accessToken(), timeoutMs);
}

function send(request: Request, token: string, timeoutMs: number | "never"): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  const signals = [request.signal];
  if (timeoutMs !== "never") signals.push(AbortSignal.timeout(timeoutMs));
  const sent = fetch(new Request(request, { headers, signal: AbortSignal.any(signals) }));
  // Browsers tell of a lost connection by the same kind of error as of a mistake in a program.
  return sent.catch((error: unknown) => {
    throw error instanceof TypeError ? new Unreachable(error.message) : error;
  });
}

/** The API, typed by its own description. */
export const api = createClient<paths>({
  baseUrl: settings.baseUrl,
  fetch: (request: Request) => authorizedFetch(request),
});

type Answer<Data> = Promise<{ data?: Data; error?: unknown; response: Response }>;

/** The body of a success; everything else is thrown as `ApiProblem`. */
export async function take<Data>(answer: Answer<Data>): Promise<Data> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiProblem(response, error);
  return data as Data;
}

export type ListPage<Item> = {
  readonly items: readonly Item[];
  readonly total: number;
  readonly isEstimate: boolean;
  /** Where the next page begins; undefined on the last. */
  readonly cursor: string | undefined;
};

/** One page of a list, with what its headers say. */
export async function takePage<Item>(answer: Answer<Item[]>): Promise<ListPage<Item>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiProblem(response, error);
  const items = data ?? [];
  const { headers } = response;
  const next = /<([^>]+)>;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  return {
    items,
    total: Number(headers.get("x-pagination-total") ?? items.length),
    isEstimate: headers.get("x-pagination-total-is") === "estimate",
    cursor:
      next === undefined
        ? undefined
        : (new URL(next, settings.baseUrl).searchParams.get("cursor") ?? undefined),
  };
}
