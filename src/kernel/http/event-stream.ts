import type { ServerResponse } from "node:http";
import Type from "typebox";
import type { Route } from "./route.ts";

export const STREAM_TYPE = "text/event-stream";

/**
 * One server-sent event. Without `event` and `data` nobody is told anything, but a client that comes
 * back goes on from this id.
 */
export type StreamMessage = {
  readonly id: string;
  readonly event?: string;
  /** On one line, as JSON is. */
  readonly data?: string;
};

/** Gives messages as they come, some at a time, and ends soon after the signal. */
export type StreamSource = (signal: AbortSignal) => AsyncIterable<readonly StreamMessage[]>;

/** An answer that goes on: what a route gives back to keep telling. */
export class EventStream {
  readonly source: StreamSource;

  constructor(source: StreamSource) {
    this.source = source;
  }
}

export function eventStream(source: StreamSource): EventStream {
  return new EventStream(source);
}

/** The `reply` of a route that answers with a stream: by this it is known as one. */
export function streamReply(example: string) {
  return Type.String({ contentMediaType: STREAM_TYPE, examples: [example] });
}

export function isStream({ reply }: Route): boolean {
  return (reply as { contentMediaType?: string } | undefined)?.contentMediaType === STREAM_TYPE;
}

export type StreamTimes = {
  readonly heartbeatMs: number;
  /** How long a client may leave unread what was sent to it. */
  readonly drainMs: number;
  readonly lifetimeMs: number;
  readonly checkMs: number;
};

export const STREAM_TIMES: StreamTimes = {
  // Proxies and mobile networks drop what is silent for half a minute or more.
  heartbeatMs: 15_000,
  drainMs: 60_000,
  lifetimeMs: 600_000,
  checkMs: 5_000,
};

/** How soon a client comes back after the end of a stream. */
const RETRY = "retry: 1000\n\n";
const HEARTBEAT = ":\n\n";

export type StreamOptions = {
  readonly source: StreamSource;
  readonly times: StreamTimes;
  /** False once whoever listens has lost the right to. Asked before anything is sent, so it must be cheap. */
  isAllowed(): Promise<boolean>;
  onOpen(handle: StreamHandle): void;
};

/** What others can do with a stream that is open. */
export type StreamHandle = {
  end(): void;
  /** Ends it if whoever listens has lost the right to. */
  check(): void;
};

/**
 * Sends until the source ends, the client leaves or falls behind, the right is lost or the time is up;
 * whichever comes first ends all the others. Nothing is asked of the source while the socket is full.
 */
export async function runStream(response: ServerResponse, options: StreamOptions): Promise<void> {
  const { source, times } = options;
  const ending = new AbortController();
  const end = () => ending.abort();
  response.on("close", end).on("error", end);
  // The client may have left while the route was still at work.
  if (response.destroyed) end();
  const check = async () => {
    if (await options.isAllowed().catch(() => false)) return;
    end();
    cutOff(response);
  };
  const timers = [
    setTimeout(end, times.lifetimeMs),
    setInterval(() => beat(response), times.heartbeatMs),
    setInterval(check, times.checkMs),
  ];
  options.onOpen({ end, check: () => void check() });
  try {
    response.write(RETRY);
    for await (const messages of source(ending.signal)) {
      // What happened after the right was lost is not told, however soon it follows.
      await check();
      if (ending.signal.aborted) break;
      const isTaken = response.write(messages.map(writeMessage).join(""));
      if (!isTaken) await drained(response, ending, times.drainMs);
    }
  } finally {
    for (const timer of timers) clearInterval(timer);
    end();
    await finish(response, times.drainMs);
  }
}

export function writeMessage({ id, event, data }: StreamMessage): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const body = data === undefined ? "" : `data: ${data}\n`;
  return `id: ${id}\n${name}${body}\n`;
}

/** At once, whatever the source is busy with. A client that does not read is not waited for. */
function cutOff(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

function beat(response: ServerResponse): void {
  if (response.writable && !response.writableNeedDrain) response.write(HEARTBEAT);
}

/** Until the socket takes more, or the end; a client that reads nothing for so long is cut. */
function drained(response: ServerResponse, ending: AbortController, ms: number): Promise<void> {
  const { signal } = ending;
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const settle = () => {
      clearTimeout(timer);
      response.off("drain", settle);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    const timer = setTimeout(() => {
      response.destroy();
      ending.abort();
    }, ms);
    response.once("drain", settle);
    signal.addEventListener("abort", settle);
  });
}

/** In good order for those who still read; without waiting for ever for those who do not. */
function finish(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.closed) return resolve();
    const timer = setTimeout(() => response.destroy(), ms);
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    response.end();
  });
}
