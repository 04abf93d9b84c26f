import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { authorizedFetch } from "../api/client.ts";
import { settings } from "../settings.ts";
import { readEvents } from "./stream-reader.ts";

/*
 * Hears what happens in a tenant and asks anew for what it concerns. All tabs of a browser share one
 * connection, because browsers open few to one host and the API allows few streams of a tenant: the
 * tab that holds the lock listens, and tells the others the names of the events, never their bodies.
 */

/** A query says in its `meta` which events change its answer: `{ live: ["api-key."] }`. */
export type LiveMeta = { readonly live?: readonly string[] };

const PAUSE_MS = { first: 1_000, max: 30_000 };
const GATHER_MS = 400;
const PAUSES_PER_ANSWER = 3;
/** A question that hangs must not keep the next ones from being asked. */
const ANSWER_MS_MAX = 10_000;

const sleep = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));

export type LiveStatus = "off" | "connecting" | "on";
let status: LiveStatus = "off";
const statusListeners = new Set<() => void>();
const eventListeners = new Set<(name: string) => void>();

function setStatus(next: LiveStatus): void {
  status = next;
  for (const listener of statusListeners) listener();
}

export const useLiveStatus = (): LiveStatus =>
  useSyncExternalStore(
    (listener) => {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
    () => status,
  );

/** Calls back for each event of the tenant on the screen. */
export function useLiveEvent(onEvent: (name: string) => void): void {
  useEffect(() => {
    eventListeners.add(onEvent);
    return () => void eventListeners.delete(onEvent);
  }, [onEvent]);
}

export function useLive(tenantId: string, isAllowed: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isAllowed) return setStatus("off");
    const ending = new AbortController();
    const gather = createGatherer(queries);
    let isLeading = false;
    let lastId = "";
    const channel = new BroadcastChannel(`billfold-live-${tenantId}`);
    const hear = (name: string) => {
      gather(name);
      for (const listener of eventListeners) listener(name);
    };
    const say = (message: Message) => {
      channel.postMessage(message);
      take(message);
    };
    const take = (message: Message) => {
      if ("event" in message) {
        lastId = message.id || lastId;
        if (message.event !== "") hear(message.event);
      } else if ("status" in message) setStatus(message.status);
      else if (isLeading) channel.postMessage({ status });
    };
    channel.onmessage = ({ data }: MessageEvent<Message>) => take(data);
    setStatus("connecting");
    channel.postMessage({ isAsking: true });
    const speak = (message: Message) => {
      isLeading = true;
      say(message);
    };
    void lead(tenantId, ending.signal, speak, () => lastId);
    return () => {
      ending.abort();
      channel.close();
    };
  }, [tenantId, isAllowed, queries]);
}

/** `isAsking`: a tab that was opened later wants to know how things are. */
type Message =
  | { readonly status: LiveStatus }
  | { readonly event: string; readonly id: string }
  | { readonly isAsking: true };

async function lead(
  tenantId: string,
  signal: AbortSignal,
  say: (message: Message) => void,
  lastId: () => string,
): Promise<void> {
  const listen = () => listenUntil(tenantId, signal, say, lastId);
  // Without https and off localhost, browsers have no locks: then each tab listens for itself.
  if (navigator.locks === undefined) return await listen();
  await navigator.locks
    .request(`billfold-live-${tenantId}`, { signal }, listen)
    .catch(() => undefined);
}

/**
 * The server ends a stream after ten minutes: that is normal. A tab that takes over goes on after the
 * last event that it heard of, so nothing is missed.
 */
async function listenUntil(
  tenantId: string,
  signal: AbortSignal,
  say: (message: Message) => void,
  lastId: () => string,
): Promise<void> {
  let pauseMs = PAUSE_MS.first;
  while (!signal.aborted) {
    try {
      const response = await openStream(tenantId, lastId(), signal);
      if (response.status === 403 || response.status === 404) return say({ status: "off" });
      if (response.ok && response.body !== null) {
        say({ status: "on" });
        pauseMs = PAUSE_MS.first;
        for await (const { id, name } of readEvents(response.body)) {
          if (id !== "" || name !== "") say({ event: name, id });
        }
      }
    } catch {
      // The connection broke, or the page goes on to another tenant.
    }
    if (signal.aborted) return;
    say({ status: "connecting" });
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max);
  }
}

function openStream(tenantId: string, lastId: string, signal: AbortSignal): Promise<Response> {
  const url = `${settings.baseUrl}/api/${encodeURIComponent(tenantId)}/events/stream`;
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (lastId !== "") headers["last-event-id"] = lastId;
  return authorizedFetch(new Request(url, { headers, signal }), "never");
}

/**
 * Many events at once lead to one question. While events come without end, such as during an import,
 * each pause is a few times as long as the answers took: a list of many pages is not asked for again
 * before its last answer is on the screen.
 */
function createGatherer(queries: QueryClient): (name: string) => void {
  const names = new Set<string>();
  let isAsking = false;
  const ask = async () => {
    const heard = [...names];
    names.clear();
    await queries.invalidateQueries({
      predicate: ({ meta }) =>
        ((meta as LiveMeta | undefined)?.live ?? []).some((prefix) =>
          heard.some((name) => name.startsWith(prefix)),
        ),
    });
  };
  const askUntilQuiet = async () => {
    isAsking = true;
    let pauseMs = GATHER_MS;
    try {
      while (names.size > 0) {
        await sleep(pauseMs);
        const startedAt = performance.now();
        await Promise.race([ask(), sleep(ANSWER_MS_MAX)]);
        pauseMs = Math.max(GATHER_MS, (performance.now() - startedAt) * PAUSES_PER_ANSWER);
      }
    } finally {
      isAsking = false;
    }
  };
  return (name) => {
    names.add(name);
    if (!isAsking) void askUntilQuiet();
  };
}
