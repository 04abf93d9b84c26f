import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";
import type { Log } from "../log.ts";
import type { Database } from "./database.ts";
import { SIGNAL_CHANNEL } from "./signal-channel.ts";

type Handler = (payload: string) => void;

const RECONNECT_MS = 500;
/**
 * Signals are rare, so silence says nothing: only a query shows whether the connection is alive.
 */
const SIGN_OF_LIFE_MS = 5_000;
const SILENCE_TIMEOUT_MS = 5_000;
const GOODBYE_TIMEOUT_MS = 1_000;

export type Signals = {
  on(channel: string, handler: Handler): void;
  /** The handler is called whenever signals may have been missed, so that caches can be emptied. */
  onGap(handler: () => void): void;
  close(): Promise<void>;
};

export type SignalsOptions = {
  readonly connection: ClientConfig;
  readonly db: Database;
  readonly log: Log;
};

/**
 * Short messages between nodes by LISTEN/NOTIFY. A signal may be lost, so code that relies on
 * signals also has a limit of its own (the age of a cache entry, a polling interval).
 */
export function openSignals(options: SignalsOptions): Signals {
  const listener = new SignalListener(options);
  void listener.listen();
  return listener;
}

class SignalListener implements Signals {
  readonly #options: SignalsOptions;
  readonly #handlers = new Map<string, Handler[]>();
  readonly #gapHandlers: (() => void)[] = [];
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SignalsOptions) {
    this.#options = options;
    options.db.onLocalSignal((channel, payload) => this.#dispatch(channel, payload));
  }

  on(channel: string, handler: Handler): void {
    this.#handlers.set(channel, [...(this.#handlers.get(channel) ?? []), handler]);
  }

  onGap(handler: () => void): void {
    this.#gapHandlers.push(handler);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.race([
      this.#client?.end().catch(() => undefined),
      sleep(GOODBYE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }

  async listen(): Promise<void> {
    const client = new pg.Client({
      ...this.#options.connection,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: SILENCE_TIMEOUT_MS,
      application_name: "billfold signals",
    });
    client.on("error", () => this.#reconnect(client));
    client.on("end", () => this.#reconnect(client));
    client.on("notification", ({ payload = "" }) => {
      const space = payload.indexOf(" ");
      this.#dispatch(payload.slice(0, space), payload.slice(space + 1));
    });
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${SIGNAL_CHANNEL}`);
      for (const handler of this.#gapHandlers) handler();
      this.#planSignOfLife(client);
    } catch (error) {
      this.#options.log.warn({ err: error }, "cannot listen for signals");
      this.#reconnect(client);
    }
  }

  #dispatch(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) {
      try {
        handler(payload);
      } catch (error) {
        this.#options.log.error({ err: error, channel }, "a signal handler failed");
      }
    }
  }

  #planSignOfLife(client: pg.Client): void {
    if (this.#closed || client !== this.#client) return;
    this.#timer = setTimeout(() => {
      client.query("").then(
        () => this.#planSignOfLife(client),
        () => this.#reconnect(client),
      );
    }, SIGN_OF_LIFE_MS);
  }

  #reconnect(from: pg.Client): void {
    if (this.#closed || from !== this.#client) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    from.end().catch(() => undefined);
    this.#timer = setTimeout(() => void this.listen(), RECONNECT_MS);
  }
}
