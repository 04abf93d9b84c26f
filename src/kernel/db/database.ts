import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig } from "pg";
import type { Clock } from "../clock.ts";
import { defineError, messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import { tenantNotFound } from "../tenant.errors.ts";
import { ConnectionPool } from "./connection-pool.ts";
import {
  isConnectionFailure,
  isOverload,
  isTenantEnded,
  isTransient,
  isWrongGuess,
} from "./failures.ts";
import { HintSender } from "./hints.ts";
import { holding } from "./holding.ts";
import type { PooledConnection } from "./pooled-connection.ts";
import { isTenantId, SYSTEM_SCOPE } from "./scope.ts";
import { SIGNAL_CHANNEL } from "./signal-channel.ts";
import { compileSql, type Sql, sql } from "./sql.ts";
import { PREPARE_SET_TENANT, runTenantQuery } from "./tenant-query.ts";
import { TenantTx, type TransactionOrigin } from "./transaction.ts";

export const databaseUnavailable = defineError({
  code: "service.unavailable",
  status: 503,
  title: "Service temporarily unavailable",
  detail: () => "The service cannot use its database at the moment. Try again shortly.",
  headers: () => ({ "retry-after": "2" }),
});

/** Runs inside every transaction, just before its commit, in the order of registration. */
export type CommitStep = (tx: TenantTx) => Promise<void>;

export type DatabaseOptions = {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The role that row-level security binds; undefined where the server did not let us create it.
   */
  readonly role: string | undefined;
  /**
   * Throws when a call asks for a second connection while it holds one. Set in tests; in production
   * the call is only logged as an error.
   */
  readonly refusesSecond?: boolean;
};

const ATTEMPTS_MAX = 3;
const AGAIN_AFTER_MS = 20;
/** Background jobs work in small steps too, so a statement that takes longer is a defect. */
const STATEMENT_TIMEOUT_MS = 10_000;
const SESSION_SETTINGS = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: "5000",
  // A transaction only ever waits for this program, so an idle one belongs to a node that is gone.
  idle_in_transaction_session_timeout: "15000",
  timezone: "UTC",
};

type SignalListener = (channel: string, payload: string) => void;

/** A transaction that the caller must end, by `commit` or by `undo`. */
export type OpenTransaction = {
  readonly tx: TenantTx;
  commit(): Promise<void>;
  /** Rolls back, and returns the error that the caller should throw. */
  undo(failure: unknown): Promise<unknown>;
};

export class Database {
  readonly #pool: ConnectionPool;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refusesSecond: boolean;
  readonly #commitSteps: CommitStep[] = [];
  readonly #signalListeners: SignalListener[] = [];
  readonly #hints = new HintSender(async (hints) => {
    await this.readAsSystem(sql`
      select pg_notify(${SIGNAL_CHANNEL}, hint) from unnest(${hints}::text[]) as hint
    `);
  });

  constructor(options: DatabaseOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#refusesSecond = options.refusesSecond ?? false;
    this.#pool = new ConnectionPool({
      config: clientConfig(options),
      watcher: options.connection,
      sizeMax: options.poolSize,
      common: SYSTEM_SCOPE,
      greeting: PREPARE_SET_TENANT,
      onSilence: (isSilent) => {
        if (isSilent) this.#log.error("the database is silent: nobody waits for it any more");
        else this.#log.warn("the database answers again");
      },
    });
  }

  /** Runs one statement under one tenant, in one round trip. */
  async read<Row>(tenantId: string, statement: Sql<Row>): Promise<Row[]> {
    const connection = await this.#take(tenantId);
    let isDead = false;
    try {
      return (await runTenantQuery(connection.client, tenantId, compileSql(statement))) as Row[];
    } catch (error) {
      isDead = isConnectionFailure(error);
      throw this.#explain(error);
    } finally {
      this.#giveBack(connection, isDead);
    }
  }

  /**
   * Reads the rows of all tenants: for the service's own work, and for lookups before the tenant is
   * known.
   */
  readAsSystem<Row>(statement: Sql<Row>): Promise<Row[]> {
    return this.read(SYSTEM_SCOPE, statement);
  }

  /**
   * Runs `work` in a transaction, and runs it again after a deadlock or a serialisation failure,
   * which are not the fault of the work.
   */
  async transaction<Result>(
    origin: TransactionOrigin,
    work: (tx: TenantTx) => Promise<Result>,
  ): Promise<Result> {
    for (let count = 1; ; count += 1) {
      try {
        return await this.#attempt(origin, count === 1, work);
      } catch (error) {
        if (!(await this.mayRunAgain(error, origin, count))) throw this.explainLast(error);
      }
    }
  }

  async #attempt<Result>(
    origin: TransactionOrigin,
    mayGuess: boolean,
    work: (tx: TenantTx) => Promise<Result>,
  ): Promise<Result> {
    const opened = await this.begin(origin, mayGuess);
    return await holding.run({ isHolding: true, op: origin.op }, async () => {
      try {
        const result = await work(opened.tx);
        await opened.commit();
        return result;
      } catch (error) {
        throw await opened.undo(error);
      }
    });
  }

  /**
   * Begins a transaction for work that is not a single function. The caller must mark it in
   * `holding`. Pass `mayGuess: false` when work runs again, because its guess may have been wrong.
   */
  async begin(origin: TransactionOrigin, mayGuess: boolean): Promise<OpenTransaction> {
    const { tenantId } = origin;
    if (tenantId !== SYSTEM_SCOPE && !isTenantId(tenantId)) throw new Error("Not a tenant id.");
    const connection = await this.#take(tenantId);
    const now = this.#clock.now();
    const tx = new TenantTx(connection.client, origin, { database: this, now, mayGuess });
    let isOver = false;
    const giveBack = (isDead: boolean) => {
      if (!isOver) this.#giveBack(connection, isDead);
      isOver = true;
      const scope = holding.getStore();
      if (scope !== undefined) scope.isHolding = false;
    };
    return {
      tx,
      commit: async () => {
        for (const step of this.#commitSteps) await step(tx);
        deferSignals(tx);
        await tx.commit();
        giveBack(false);
        this.#afterCommit(tx);
      },
      undo: async (failure) => {
        const isDead =
          isConnectionFailure(failure) || (!isOver && tx.isOpen && !(await rollBack(connection)));
        giveBack(isDead);
        return isTenantEnded(failure) ? tenantNotFound({ tenantId }) : this.#explain(failure);
      },
    };
  }

  /** Waits a moment before it answers true, so that the conflicting transaction can finish. */
  async mayRunAgain(error: unknown, { op }: TransactionOrigin, count: number): Promise<boolean> {
    if (count === ATTEMPTS_MAX) return false;
    if (isWrongGuess(error)) return true;
    if (!isTransient(error)) return false;
    this.#log.warn({ err: error, op, count }, "transaction is run again");
    await sleep(AGAIN_AFTER_MS * count);
    return true;
  }

  /**
   * The error for callers when work is not run again. Who met a deadlock at every attempt may
   * succeed later.
   */
  explainLast(error: unknown): unknown {
    return isTransient(error) ? this.#unavailable(error) : error;
  }

  addCommitStep(step: CommitStep): void {
    this.#commitSteps.push(step);
  }

  /**
   * The listener gets the signals of this process's own transactions, at once and without the
   * database.
   */
  onLocalSignal(listener: SignalListener): void {
    this.#signalListeners.push(listener);
  }

  /**
   * Sends a hint without a transaction, for writes of a single statement: see `TenantTx.hint`. Call it
   * after the write.
   */
  hint(channel: string, payload: string): void {
    for (const listener of this.#signalListeners) listener(channel, payload);
    this.#hints.add(`${channel} ${payload}`);
  }

  stats(): { total: number; idle: number; waiting: number } {
    return this.#pool.stats();
  }

  async close(): Promise<void> {
    await this.#hints.settle();
    await this.#pool.close();
  }

  async #take(tenantId: string): Promise<PooledConnection> {
    const scope = holding.getStore();
    if (scope?.isHolding === true) this.#complain(scope.op);
    try {
      return await this.#pool.take(tenantId);
    } catch (error) {
      this.#log.error({ err: error }, "no database connection");
      throw databaseUnavailable().because(messageOf(error));
    }
  }

  /**
   * A second connection is dangerous: when all connections are held by calls that each wait for
   * another one, none of these calls can ever go on.
   */
  #complain(op: string): void {
    const error = new Error(`${op} asks for a second connection while it holds one.`);
    if (this.#refusesSecond) throw error;
    this.#log.error({ err: error, op }, "a call asks for a second connection");
  }

  #giveBack(connection: PooledConnection, isDead: boolean): void {
    if (isDead) this.#pool.discard(connection);
    else this.#pool.release(connection);
  }

  /** Callers get a 503, which says that the service is at fault; only the log says why. */
  #explain(error: unknown): unknown {
    return isConnectionFailure(error) || isOverload(error) ? this.#unavailable(error) : error;
  }

  #unavailable(error: unknown): unknown {
    this.#log.error({ err: error }, "the database failed a statement");
    return Object.assign(databaseUnavailable().because(messageOf(error)), { cause: error });
  }

  #afterCommit(tx: TenantTx): void {
    for (const { channel, payload } of [...tx.pendingSignals, ...tx.pendingHints]) {
      for (const listener of this.#signalListeners) listener(channel, payload);
    }
    for (const { channel, payload } of tx.pendingHints) this.#hints.add(`${channel} ${payload}`);
    for (const hook of tx.afterCommitHooks) hook();
  }
}

function clientConfig({ connection, role }: DatabaseOptions): ClientConfig {
  const settings = Object.entries({ ...SESSION_SETTINGS, ...(role === undefined ? {} : { role }) });
  return {
    ...connection,
    keepAlive: true,
    application_name: "billfold",
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(" "),
  };
}

function deferSignals(tx: TenantTx): void {
  for (const { channel, payload } of tx.pendingSignals) {
    tx.defer(sql`select pg_notify(${SIGNAL_CHANNEL}, ${`${channel} ${payload}`})`);
  }
}

/** Returns false when the connection can no longer be used. */
async function rollBack({ client }: PooledConnection): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}
