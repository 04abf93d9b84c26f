import type { ClientConfig } from "pg";
import { FairLine } from "../fair-line.ts";
import { ConnectionShares } from "./connection-shares.ts";
import { PooledConnection } from "./pooled-connection.ts";
import { listWorking } from "./server-probe.ts";

const LOOK_MS = 200;
/** All limits are counted in looks. */
const SECOND = 1_000 / LOOK_MS;

/** Unused for longer, a connection is asked for a sign of life before anyone relies on it. */
const UNUSED_MAX = 1 * SECOND;
const SIGN_OF_LIFE_MAX = 1 * SECOND;
/** Nothing was heard from the server for so long, though it owes an answer: it is asked another way. */
const DOUBTFUL_AFTER = 2;
const SILENT_AFTER = 1.6 * SECOND;
/** One statement alone has waited so long: the server is asked whether it works on it. */
const SUSPECT_AFTER = 2 * SECOND;
const PROBE_EVERY = 1 * SECOND;
/** A little over the time that the server itself gives a statement. */
const STATEMENT_MAX = 12 * SECOND;
const OPENING_MAX = 3 * SECOND;
/** While the server is silent each try is short, for only a new one can find it back. */
const REOPENING_MAX = 1 * SECOND;
/** Below the five seconds in which a caller is told that it is not their fault. */
const WAIT_MAX = 4 * SECOND;
const IDLE_MAX = 60 * SECOND;
/** Who has had a connection for longer is slow. */
const QUICK_MAX = 1;

export type PoolOptions = {
  /** For those who use the pool. */
  readonly config: ClientConfig;
  /** With the right to see what the server's processes do. */
  readonly watcher: ClientConfig;
  readonly sizeMax: number;
  /** The group whose work is everybody's. */
  readonly common: string;
  /** Run on each connection as it opens. */
  readonly greeting: string;
  onSilence(isSilent: boolean): void;
};

type Waiter = {
  readonly since: number;
  readonly resolve: (connection: PooledConnection) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Connections that answer, shared fairly. Who waits for one waits in a line in which groups take turns,
 * so a group that asks for a thousand delays another by one turn only.
 *
 * A server may fall silent without a word: the network loses it, or it is frozen. Its sockets look open
 * then, and whoever waited for an answer would wait out a statement's whole time. So the pool looks at
 * its connections five times a second. When one owes an answer and none of them has sent a byte, the
 * server is asked in another way; when that is not answered either, everything under way fails, and
 * nobody waits any more until a new connection opens.
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
  /** Since when something is owed and nothing was heard. */
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

  /** Whoever takes one gives it back by `release` or `discard`. */
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

  /** For a connection that failed its user. Those that lie in the pool may be as dead as this one. */
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

  /** To whoever is next, or back to the pool. */
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
      // Whoever waits may still get one that is in use now, or about to open.
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

  /** It ended while it lay in the pool. */
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

  /** Of those that lie in the pool, the ones at the bottom were used longest ago. */
  #endUnused(): void {
    const [oldest] = this.#idle;
    if (oldest === undefined || this.#looks - oldest.usedAt < IDLE_MAX) return;
    this.#idle.shift();
    void this.#end(oldest);
  }

  /** Nobody waits for a server that says nothing. */
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

  /** In two other ways: by a connection that lies in the pool, and by one that is new. */
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
    // The server lives and does not work for these: their answers, or the questions, were lost.
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
