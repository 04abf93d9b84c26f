import type { ClientConfig } from "pg";
import { FairLine } from "../fair-line.ts";
import { ConnectionShares } from "./connection-shares.ts";
import { PooledConnection } from "./pooled-connection.ts";
import { listWorking } from "./server-probe.ts";

const LOOK_MS = 200;
/** The limits below are counted in looks: the pool looks at its connections every `LOOK_MS`. */
const SECOND = 1_000 / LOOK_MS;

/** A connection that was unused for longer must answer an empty query before it is lent again. */
const UNUSED_MAX = 1 * SECOND;
const SIGN_OF_LIFE_MAX = 1 * SECOND;
/**
 * After so many looks without a byte from a server that owes an answer, the pool probes the server
 * over other connections.
 */
const DOUBTFUL_AFTER = 2;
const SILENT_AFTER = 1.6 * SECOND;
/**
 * When a single statement has waited so long, the pool asks the server whether it still works on
 * it.
 */
const SUSPECT_AFTER = 2 * SECOND;
const PROBE_EVERY = 1 * SECOND;
/** A little more than the time limit that the server itself sets for a statement (10 seconds). */
const STATEMENT_MAX = 12 * SECOND;
const OPENING_MAX = 3 * SECOND;
/**
 * While the server is silent, each attempt to connect is short: only a new attempt can notice that
 * the server is back.
 */
const REOPENING_MAX = 1 * SECOND;
/** Less than the five seconds within which a caller must get the answer 503. */
const WAIT_MAX = 4 * SECOND;
const IDLE_MAX = 60 * SECOND;
/** A connection that is held for more looks than this counts as slow work. */
const QUICK_MAX = 1;

export type PoolOptions = {
  /** Opens the connections that the pool lends. */
  readonly config: ClientConfig;
  /**
   * Opens the connections that probe the server; its user may see what the server's processes do.
   */
  readonly watcher: ClientConfig;
  readonly sizeMax: number;
  /** The group that belongs to no tenant: the service's own work. It has no limit of its own. */
  readonly common: string;
  /** SQL that runs on each connection when it opens. */
  readonly greeting: string;
  onSilence(isSilent: boolean): void;
};

type Waiter = {
  readonly since: number;
  readonly resolve: (connection: PooledConnection) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Lends database connections that answer, and shares them fairly. Callers that wait for a
 * connection stand in a line in which groups take turns, so a group with a thousand waiting calls
 * delays another group by one turn only.
 *
 * A server can stop answering without closing its sockets: the network is cut, or the machine is
 * frozen. Without a check, every caller would wait until its statement times out. So the pool looks
 * at its connections five times a second. When a connection owes an answer and no connection has
 * received a byte, the pool probes the server over other connections. When the probe is not
 * answered either, all statements under way fail, and further calls fail at once until a new
 * connection opens.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #connections = new Set<PooledConnection>();
  readonly #idle: PooledConnection[] = [];
  readonly #line = new FairLine<Waiter>();
  readonly #shares: ConnectionShares;
  readonly #timer: NodeJS.Timeout;
  #looks = 0;
  #opening = 0;
  /** The look since which an answer is owed and no connection has received a byte. */
  #quietSince: number | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;
  #isProbing = false;
  #isSilent = false;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#shares = new ConnectionShares(options.sizeMax, options.common);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** The caller must give the connection back by `release` or `discard`. */
  take(group: string): PooledConnection | Promise<PooledConnection> {
    const connection = this.#shares.mayHold(group) ? this.#idle.pop() : undefined;
    if (connection === undefined) return this.#wait(group);
    this.#lend(connection, group);
    const isUsedLately = this.#looks - connection.usedAt < UNUSED_MAX;
    return isUsedLately ? connection : this.#takeProven(connection, group);
  }

  release(connection: PooledConnection): void {
    if (connection.isDead) {
      this.discard(connection);
      return;
    }
    this.#takeBack(connection);
    connection.usedAt = this.#looks;
    this.#offer(connection);
  }

  /**
   * Takes back a connection that failed during its use. The idle connections are closed as well,
   * because whatever broke this connection may have broken them too.
   */
  discard(connection: PooledConnection): void {
    this.#takeBack(connection);
    this.#forget(connection);
    for (const other of this.#idle.splice(0)) this.#forget(other);
    this.#openMore();
  }

  stats(): { total: number; idle: number; waiting: number } {
    return {
      total: this.#connections.size,
      idle: this.#idle.length,
      waiting: this.#line.size,
    };
  }

  /** Resolves when all connections were given back and have ended. */
  async close(): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#closed = closed;
    this.#turnAway(() => true, new Error("The pool of connections is closed."));
    const idle = this.#idle.splice(0);
    await Promise.all(idle.map((connection) => this.#end(connection)));
    if (this.#connections.size > 0) await closed.promise;
    clearInterval(this.#timer);
  }

  #lend(connection: PooledConnection, group: string): void {
    connection.holder = group;
    connection.heldFor = 0;
    this.#shares.lend(group);
  }

  #takeBack(connection: PooledConnection): void {
    const { holder, heldFor } = connection;
    if (holder === undefined) throw new Error("A connection was given back twice.");
    connection.holder = undefined;
    this.#shares.takeBack(holder, heldFor <= QUICK_MAX);
  }

  /** Gives the connection to the next caller in the line, or puts it back among the idle ones. */
  #offer(connection: PooledConnection): void {
    if (this.#closed !== undefined) {
      void this.#end(connection);
      return;
    }
    this.#idle.push(connection);
    this.#serve();
  }

  #serve(): void {
    while (this.#line.size > 0 && this.#idle.length > 0) {
      const next = this.#line.shift((group) => this.#shares.mayHold(group));
      const connection = next === undefined ? undefined : this.#idle.pop();
      if (next === undefined || connection === undefined) return;
      this.#lend(connection, next.group);
      next.item.resolve(connection);
    }
  }

  async #takeProven(connection: PooledConnection, group: string): Promise<PooledConnection> {
    if (await answers(connection)) return connection;
    this.discard(connection);
    return await this.#wait(group);
  }

  #wait(group: string): Promise<PooledConnection> {
    if (this.#closed !== undefined || this.#isSilent) {
      return Promise.reject(new Error("The database does not answer."));
    }
    return new Promise((resolve, reject) => {
      this.#line.push(group, { since: this.#looks, resolve, reject });
      this.#openMore();
    });
  }

  #turnAway(isMeant: (waiter: Waiter) => boolean, error: Error): void {
    for (const { reject } of this.#line.removeWhere(isMeant)) reject(error);
  }

  #openMore(): void {
    const { sizeMax } = this.#options;
    while (this.#opening < this.#line.size && this.#connections.size < sizeMax) void this.#open();
  }

  async #open(): Promise<void> {
    const { config, greeting } = this.#options;
    const connection = new PooledConnection(config);
    connection.quietMax = this.#isSilent ? REOPENING_MAX : OPENING_MAX;
    this.#connections.add(connection);
    this.#opening += 1;
    try {
      await connection.open(greeting);
    } catch (error) {
      this.#opening -= 1;
      this.#forget(connection);
      // A waiting caller may still get a connection that is in use now or about to open.
      const isLost = this.#shares.isEmpty && this.#opening === 0;
      if (isLost) this.#turnAway(() => true, error as Error);
      return;
    }
    this.#opening -= 1;
    connection.quietMax = STATEMENT_MAX;
    connection.usedAt = this.#looks;
    connection.client.once("end", () => this.#leaveIdle(connection));
    if (this.#isSilent) this.#options.onSilence(false);
    this.#isSilent = false;
    this.#offer(connection);
  }

  /** Removes a connection that ended while it was idle. */
  #leaveIdle(connection: PooledConnection): void {
    const at = this.#idle.indexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#forget(connection);
  }

  #forget(connection: PooledConnection): void {
    connection.destroy();
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#closed?.resolve();
  }

  async #end(connection: PooledConnection): Promise<void> {
    await connection.end();
    this.#forget(connection);
  }

  #look(): void {
    this.#looks += 1;
    let isHeard = false;
    let isAwaited = false;
    const suspects: PooledConnection[] = [];
    for (const connection of this.#connections) {
      const seen = connection.look();
      this.#age(connection);
      isHeard ||= seen.isHeard;
      isAwaited ||= seen.isAwaited;
      if (connection.quiet >= connection.quietMax) connection.destroy();
      else if (connection.quiet >= SUSPECT_AFTER) suspects.push(connection);
    }
    this.#shares.look();
    this.#serve();
    const late = this.#looks - WAIT_MAX;
    this.#turnAway(({ since }) => since <= late, new Error("No connection became free in time."));
    this.#endUnused();
    if (this.#isSilent) {
      if (this.#opening === 0 && this.#closed === undefined) void this.#open();
      return;
    }
    if (isHeard || !isAwaited) this.#quietSince = undefined;
    else this.#quietSince ??= this.#looks - 1;
    const quiet = this.#quietSince === undefined ? 0 : this.#looks - this.#quietSince;
    if (quiet >= SILENT_AFTER) this.#giveUp();
    else if (quiet >= DOUBTFUL_AFTER || suspects.length > 0) void this.#ask(suspects);
  }

  #age(connection: PooledConnection): void {
    if (connection.holder === undefined) return;
    connection.heldFor += 1;
    if (connection.heldFor === QUICK_MAX + 1) this.#shares.becomeSlow(connection.holder);
  }

  /** Closes the idle connection that was used longest ago, which is the first of the list. */
  #endUnused(): void {
    const [oldest] = this.#idle;
    if (oldest === undefined || this.#looks - oldest.usedAt < IDLE_MAX) return;
    this.#idle.shift();
    void this.#end(oldest);
  }

  /** Fails all statements and all waiting calls, because the server does not answer. */
  #giveUp(): void {
    this.#isSilent = true;
    this.#quietSince = undefined;
    this.#options.onSilence(true);
    this.#turnAway(() => true, new Error("The database fell silent."));
    this.#idle.length = 0;
    for (const connection of this.#connections) {
      connection.destroy();
      if (connection.holder === undefined) this.#connections.delete(connection);
    }
  }

  /** Probes the server in two ways: over an idle connection and over a new connection. */
  async #ask(suspects: readonly PooledConnection[]): Promise<void> {
    if (this.#isProbing || this.#looks - this.#probedAt < PROBE_EVERY) return;
    this.#isProbing = true;
    this.#probedAt = this.#looks;
    void this.#askIdle();
    const pids = suspects.map(({ serverPid }) => serverPid);
    const working = await listWorking(this.#options.watcher, pids);
    this.#isProbing = false;
    if (working === undefined) return;
    this.#quietSince = undefined;
    // The server is alive and does not work for these connections: their requests or answers are
    // lost.
    for (const connection of suspects) {
      if (connection.quiet >= SUSPECT_AFTER && !working.has(connection.serverPid)) {
        connection.destroy();
      }
    }
  }

  async #askIdle(): Promise<void> {
    const connection = this.#idle.pop();
    if (connection === undefined) return;
    this.#lend(connection, this.#options.common);
    if (await answers(connection)) this.release(connection);
    else this.discard(connection);
  }
}

async function answers(connection: PooledConnection): Promise<boolean> {
  connection.quietMax = SIGN_OF_LIFE_MAX;
  try {
    await connection.client.query("");
    return true;
  } catch {
    return false;
  } finally {
    connection.quietMax = STATEMENT_MAX;
  }
}
