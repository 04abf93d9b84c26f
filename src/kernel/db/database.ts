import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig } from "pg";
import type { Clock } from "../clock.ts";
import { defineError } from "../errors.ts";
import type { Log } from "../log.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { isConnectionFailure, isOverload, isTransient } from "./failures.ts";
import { HintSender } from "./hints.ts";
import { holding } from "./holding.ts";
import type { PooledConnection } from "./pooled-connection.ts";
import { SIGNAL_CHANNEL } from "./signal-channel.ts";
import { compileSql, type Sql, sql } from "./sql.ts";
import { PREPARE_SET_TENANT, runTenantQuery } from "./tenant-query.ts";
import { isTenantId, SYSTEM_SCOPE, TenantTx, type TransactionOrigin } from "./transaction.ts";

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
  /** The role without rights to step around row-level security, where the server let us make it. */
  readonly role: string | undefined;
  /** Refuse whoever asks for a second connection: on in tests, where it is only told otherwise. */
  readonly refusesSecond?: boolean;
};

const ATTEMPTS_MAX = 3;
const AGAIN_AFTER_MS = 20;
/** Jobs too work in small steps: a statement that takes longer is a defect, not a big one. */
const STATEMENT_TIMEOUT_MS = 10_000;
const SESSION_SETTINGS = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: "5000",
  // No transaction waits for anything but us: one that idles belongs to a node that is gone.
  idle_in_transaction_session_timeout: "15000",
  timezone: "UTC",
};

type SignalListener = (channel: string, payload: string) => void;

/** A transaction in the hands of whoever began it: they end it, by one of the two. */
export type OpenTransaction = {
  readonly tx: TenantTx;
  commit(): Promise<void>;
  /** Gives what the caller is to hear of the failure. */
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

  /** One statement under one tenant, in one round trip. */
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

  /** Sees every tenant's rows: for the machinery, and for lookups before a tenant is known. */
  readAsSystem<Row>(statement: Sql<Row>): Promise<Row[]> {
    return this.read(SYSTEM_SCOPE, statement);
  }

  /** A deadlock or a serialisation failure is nobody's mistake: the whole work runs again. */
  async transaction<Result>(
    origin: TransactionOrigin,
    work: (tx: TenantTx) => Promise<Result>,
  ): Promise<Result> {
    for (let count = 1; ; count += 1) {
      try {
        return await this.#attempt(origin, work);
      } catch (error) {
        if (!(await this.mayRunAgain(error, origin, count))) throw error;
      }
    }
  }

  async #attempt<Result>(
    origin: TransactionOrigin,
    work: (tx: TenantTx) => Promise<Result>,
  ): Promise<Result> {
    const opened = await this.begin(origin);
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

  /** For work that cannot be one function. Whoever begins says to `holding` that they hold it. */
  async begin(origin: TransactionOrigin): Promise<OpenTransaction> {
    const { tenantId } = origin;
    if (tenantId !== SYSTEM_SCOPE && !isTenantId(tenantId)) throw new Error("Not a tenant id.");
    const connection = await this.#take(tenantId);
    const tx = new TenantTx(connection.client, origin, this.#clock.now());
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
        return this.#explain(failure);
      },
    };
  }

  /** After a moment, in which whoever was in the way goes on. */
  async mayRunAgain(error: unknown, { op }: TransactionOrigin, count: number): Promise<boolean> {
    if (count === ATTEMPTS_MAX || !isTransient(error)) return false;
    this.#log.warn({ err: error, op, count }, "transaction is run again");
    await sleep(AGAIN_AFTER_MS * count);
    return true;
  }

  addCommitStep(step: CommitStep): void {
    this.#commitSteps.push(step);
  }

  /** Hears what this process's own transactions signal, at once and without the database. */
  onLocalSignal(listener: SignalListener): void {
    this.#signalListeners.push(listener);
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
      throw databaseUnavailable();
    }
  }

  /** As many who hold one and wait for another as there are connections wait for each other. */
  #complain(op: string): void {
    const error = new Error(`${op} asks for a second connection while it holds one.`);
    if (this.#refusesSecond) throw error;
    this.#log.error({ err: error, op }, "a call asks for a second connection");
  }

  #giveBack(connection: PooledConnection, isDead: boolean): void {
    if (isDead) this.#pool.discard(connection);
    else this.#pool.release(connection);
  }

  /** Callers learn that it is not their fault; why, only the log says. */
  #explain(error: unknown): unknown {
    if (!isConnectionFailure(error) && !isOverload(error)) return error;
    this.#log.error({ err: error }, "the database failed a statement");
    return Object.assign(databaseUnavailable(), { cause: error });
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

/** False where the connection cannot be used any more. */
async function rollBack({ client }: PooledConnection): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}
