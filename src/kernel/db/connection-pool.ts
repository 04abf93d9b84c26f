import pg, { type PoolClient, type PoolConfig } from "pg";

/** Unused for longer, a connection is asked for a sign of life before anyone relies on it. */
const UNUSED_MS_MAX = 1_000;
const SIGN_OF_LIFE_TIMEOUT_MS = 2_000;

/** What pg offers and its types leave out. */
type Socketed = { readonly connection: { readonly stream: { destroy(): void } } };
type TimedQuery = { readonly text: string; readonly query_timeout: number };

/**
 * Connections that answer. A network that loses a server without a word leaves sockets that look
 * open: whoever met one would wait out a statement's whole time. So idle connections are tried
 * first, and one that fails takes those with it that nobody heard from since.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  /** When each connection was last known to answer, in monotonic milliseconds. */
  readonly #heardAt = new WeakMap<PoolClient, number>();
  #distrustedBefore = 0;

  constructor(config: PoolConfig, onIdleFailure: (error: Error) => void) {
    this.#pool = new pg.Pool(config);
    this.#pool.on("error", (error) => {
      if (!this.#pool.ending) onIdleFailure(error);
    });
  }

  async take(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (await this.#proves(client)) return client;
    }
  }

  release(client: PoolClient): void {
    this.#heardAt.set(client, performance.now());
    client.release();
  }

  /** For a connection that failed its user. */
  discard(client: PoolClient): void {
    this.#distrustedBefore = Math.max(this.#distrustedBefore, this.#heardAt.get(client) ?? 0);
    drop(client);
  }

  stats(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** One that proves dead is thrown away. */
  async #proves(client: PoolClient): Promise<boolean> {
    const now = performance.now();
    const heardAt = this.#heardAt.get(client) ?? now;
    if (heardAt < this.#distrustedBefore) {
      drop(client);
      return false;
    }
    this.#heardAt.set(client, now);
    if (now - heardAt < UNUSED_MS_MAX || (await answers(client))) return true;
    this.discard(client);
    return false;
  }
}

async function answers(client: PoolClient): Promise<boolean> {
  try {
    const query: TimedQuery = { text: "", query_timeout: SIGN_OF_LIFE_TIMEOUT_MS };
    await client.query(query);
    return true;
  } catch {
    return false;
  }
}

function drop(client: PoolClient): void {
  // Saying goodbye to a silent server would wait for its answer.
  (client as unknown as Socketed).connection.stream.destroy();
  client.release(true);
}
