import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";
import { type ClientInside, insideOf } from "./pg-inside.ts";

export type Look = {
  /** The server owes an answer on this connection. */
  readonly isAwaited: boolean;
  /** Bytes arrived since the last look. */
  readonly isHeard: boolean;
};

const GOODBYE_MS = 1_000;

/**
 * One connection to the database. The pool checks at regular intervals ("looks") whether the
 * connection still receives anything, so the check costs statements nothing. Times are counted in
 * looks and not by the clock: if this process itself was paused, it does not take its connections
 * for dead.
 */
export class PooledConnection {
  readonly client: pg.Client;
  /** The group that holds the connection; undefined while the connection is idle. */
  holder: string | undefined;
  /** The number of looks for which the group has held the connection. */
  heldFor = 0;
  /** The look at which the connection was last given back. */
  usedAt = 0;
  /** The number of looks for which the connection has owed an answer without receiving a byte. */
  quiet = 0;
  /** The number of looks after which a quiet connection is destroyed. */
  quietMax = Number.POSITIVE_INFINITY;
  /**
   * The pid of the server process, as the server itself reports it: a proxy reports other numbers.
   */
  serverPid = 0;
  readonly #inside: ClientInside;
  #bytesSeen = 0;
  #isOpen = false;
  #isDead = false;

  constructor(config: ClientConfig) {
    this.client = new pg.Client(config);
    this.#inside = insideOf(this.client);
    // An `error` event without a listener ends the process. The user of the connection learns of
    // the failure anyway, because the statement under way fails.
    this.client.on("error", () => {
      this.#isDead = true;
    });
    this.client.on("end", () => {
      this.#isDead = true;
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async open(greeting: string): Promise<void> {
    await this.client.connect();
    await this.client.query(greeting);
    const { rows } = await this.client.query<{ pid: number }>("select pg_backend_pid() as pid");
    this.serverPid = rows[0]?.pid ?? 0;
    this.#isOpen = true;
  }

  look(): Look {
    const { bytesRead } = this.#inside.connection.stream;
    const isHeard = bytesRead > this.#bytesSeen;
    this.#bytesSeen = bytesRead;
    const isAwaited = !this.#isOpen || this.#inside.readyForQuery === false;
    this.quiet = isAwaited && !isHeard ? this.quiet + 1 : 0;
    return { isAwaited, isHeard };
  }

  /** Closes the socket; a statement under way fails at once. */
  destroy(): void {
    this.#isDead = true;
    this.#inside.connection.stream.destroy();
  }

  async end(): Promise<void> {
    const waiting = new AbortController();
    const late = sleep(GOODBYE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.client.end().catch(() => undefined), late]);
    waiting.abort();
    // A silent server does not answer a polite end, so the socket is closed in any case.
    this.destroy();
  }
}
