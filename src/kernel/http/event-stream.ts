import type { ServerResponse } from "node:http";
import Type from "typebox";
import type { Route } from "./route.ts";

export const STREAM_TYPE = "text/event-stream";

/**
 * One server-sent event. A message without `event` and `data` shows nothing to the client, but a
 * client that reconnects continues after its id.
 */
export type StreamMessage = {
  readonly id: string;
  readonly event?: string;
  /** Text without line breaks, such as JSON. */
  readonly data?: string;
};

/** Yields messages in groups as they happen, and ends soon after the signal is aborted. */
export type StreamSource = (signal: AbortSignal) => AsyncIterable<readonly StreamMessage[]>;

/** The answer of a route that keeps sending messages. */
export class EventStream {
  readonly source: StreamSource;

  constructor(source: StreamSource) {
    this.source = source;
  }
}

export function eventStream(source: StreamSource): EventStream {
  return new EventStream(source);
}

/** The `reply` schema of a route that answers with a stream; the media type marks such a route. */
export function streamReply(example: string) {
  return Type.String({ contentMediaType: STREAM_TYPE, examples: [example] });
}

export function isStream({ reply }: Route): boolean {
  return (reply as { contentMediaType?: string } | undefined)?.contentMediaType === STREAM_TYPE;
}

export type StreamTimes = {
  readonly heartbeatMs: number;
  /** How long a client may leave sent data unread. */
  readonly drainMs: number;
  readonly lifetimeMs: number;
  readonly checkMs: number;
};

export const STREAM_TIMES: StreamTimes = {
  // Proxies and mobile networks drop connections that are silent for half a minute or more.
  heartbeatMs: 15_000,
  drainMs: 60_000,
  lifetimeMs: 600_000,
  checkMs: 5_000,
};

/** Tells the client to reconnect one second after the end of a stream. */
const RETRY = "retry: 1000\n\n";
const HEARTBEAT = ":\n\n";

export type StreamOptions = {
  readonly source: StreamSource;
  readonly times: StreamTimes;
  /**
   * False once the caller has lost the right to listen. Called before each message, so it must be
   * cheap.
   */
  isAllowed(): Promise<boolean>;
  onOpen(handle: StreamHandle): void;
};

/** Controls an open stream from outside. */
export type StreamHandle = {
  end(): void;
  /** Ends the stream if the caller has lost the right to listen. */
  check(): void;
};

/**
 * Sends messages until the source ends, the client disconnects or reads too slowly, the right to
 * listen is lost, or the lifetime is over. No messages are taken from the source while the socket's
 * buffer is full.
 */
export async function runStream(response: ServerResponse, options: StreamOptions): Promise<void> {
  const { source, times } = options;
  const ending = new AbortController();
  const end = () => ending.abort();
  response.on("close", end).on("error", end);
  // The client may have disconnected while the route was still working.
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
      // Nothing that happened after the right was lost may be sent, even a moment later.
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

/** Ends the answer at once, without waiting for the source or for a client that does not read. */
function cutOff(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

function beat(response: ServerResponse): void {
  if (response.writable && !response.writableNeedDrain) response.write(HEARTBEAT);
}

/**
 * Waits until the socket accepts more data or the stream ends. Ends the stream if the client reads
 * nothing for `ms` milliseconds.
 */
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

/**
 * Ends the answer normally, and cuts the connection if the client has not read the rest in time.
 */
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
