import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";

/** What pg offers and its types leave out. */
type Internals = {
  readonly connection: {
    readonly stream: { readonly bytesRead: number; destroy(): void };
  };
  /** False while an answer is owed. */
  readonly readyForQuery?: boolean;
};

export type Look = {
  /** It owes us an answer. */
  readonly isAwaited: boolean;
  /** Something came since the last look. */
  readonly isHeard: boolean;
};

const GOODBYE_MS = 1_000;

/**
 * One connection to the database. Whether it still answers is seen from outside, by looks at regular
 * intervals: statements pay nothing for it. Times are counted in looks, not by the clock, so a
 * process that was held up itself takes nobody for dead.
 */
export class PooledConnection {
  readonly client: pg.Client;
  /** Who has it; undefined while it lies in the pool. */
  holder: string | undefined;
  /** For how many looks they have had it. */
  heldFor = 0;
  /** When it was given back last, in looks. */
  usedAt = 0;
  /** For how many looks it has owed an answer without sending anything. */
  quiet = 0;
  /** For how many looks it may. */
  quietMax = Number.POSITIVE_INFINITY;
  /** Of the process that serves it, in the server's own words: a proxy in between makes up others. */
  serverPid = 0;
  readonly #inside: Internals;
  #bytesSeen = 0;
  #isOpen = false;
  #isDead = false;

  constructor(config: ClientConfig) {
    this.client = new pg.Client(config);
    this.#inside = this.client as unknown as Internals;
    // An `error` nobody hears ends the process. Whoever uses the connection learns of it all the
    // same: the statement under way fails.
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

  /** Ends whatever it is used for: what is under way fails at once. */
  destroy(): void {
    this.#isDead = true;
    this.#inside.connection.stream.destroy();
  }

  async end(): Promise<void> {
    const waiting = new AbortController();
    const late = sleep(GOODBYE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.client.end().catch(() => undefined), late]);
    waiting.abort();
    // Saying goodbye to a silent server would wait for its answer.
    this.destroy();
  }
}
