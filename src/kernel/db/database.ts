import type { PoolClient, PoolConfig } from "pg";
import type { Clock } from "../clock.ts";
import { defineError } from "../errors.ts";
import type { Log } from "../log.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { isConnectionFailure, isOverload, isTransient } from "./failures.ts";
import { HintSender } from "./hints.ts";
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
  readonly connection: PoolConfig;
  readonly poolSize: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The role without rights to step around row-level security, where the server let us make it. */
  readonly role: string | undefined;
};

const ATTEMPTS_MAX = 3;
/** Jobs too work in small steps: a statement that takes longer is a defect, not a big one. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** A little longer, so that a server that lives is the one to say so. */
const SILENCE_TIMEOUT_MS = 12_000;
const SESSION_SETTINGS = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: "5000",
  // No transaction waits for anything but us: one that idles belongs to a node that is gone.
  idle_in_transaction_session_timeout: "15000",
  timezone: "UTC",
};

type SignalListener = (channel: string, payload: string) => void;

export class Database {
  readonly #pool: ConnectionPool;
  readonly #clock: Clock;
  readonly #log: Log;
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
    this.#pool = new ConnectionPool(poolConfig(options), (error) =>
      this.#log.warn({ err: error }, "an idle connection failed"),
    );
  }

  /** One statement under one tenant, in one round trip. */
  async read<Row>(tenantId: string, statement: Sql<Row>): Promise<Row[]> {
    const client = await this.#connect();
    let isDead = false;
    try {
      return (await runTenantQuery(client, tenantId, compileSql(statement))) as Row[];
    } catch (error) {
      isDead = isConnectionFailure(error);
      throw this.#explain(error);
    } finally {
      this.#giveBack(client, isDead);
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
        if (count === ATTEMPTS_MAX || !isTransient(error)) throw error;
        this.#log.warn({ err: error, op: origin.op, count }, "transaction is run again");
      }
    }
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

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.take();
    } catch (error) {
      this.#log.error({ err: error }, "no database connection");
      throw databaseUnavailable();
    }
  }

  async #attempt<Result>(
    origin: TransactionOrigin,
    work: (tx: TenantTx) => Promise<Result>,
  ): Promise<Result> {
    const { tenantId } = origin;
    if (tenantId !== SYSTEM_SCOPE && !isTenantId(tenantId)) throw new Error("Not a tenant id.");
    const client = await this.#connect();
    const tx = new TenantTx(client, origin, this.#clock.now());
    let isDead = false;
    try {
      const result = await work(tx);
      for (const step of this.#commitSteps) await step(tx);
      deferSignals(tx);
      await tx.commit();
      this.#afterCommit(tx);
      return result;
    } catch (error) {
      isDead = isConnectionFailure(error) || (tx.isOpen && !(await rollBack(client)));
      throw this.#explain(error);
    } finally {
      this.#giveBack(client, isDead);
    }
  }

  #giveBack(client: PoolClient, isDead: boolean): void {
    if (isDead) this.#pool.discard(client);
    else this.#pool.release(client);
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

function poolConfig({ connection, poolSize, role }: DatabaseOptions): PoolConfig {
  const settings = Object.entries({ ...SESSION_SETTINGS, ...(role === undefined ? {} : { role }) });
  return {
    ...connection,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: "billfold",
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(" "),
    query_timeout: SILENCE_TIMEOUT_MS,
    onConnect: async (client) => {
      // While a connection is in use the pool does not listen, and an `error` nobody hears ends the
      // process. Its user learns of it all the same: the statement under way fails.
      client.on("error", () => undefined);
      await client.query(PREPARE_SET_TENANT);
    },
  };
}

function deferSignals(tx: TenantTx): void {
  for (const { channel, payload } of tx.pendingSignals) {
    tx.defer(sql`select pg_notify(${SIGNAL_CHANNEL}, ${`${channel} ${payload}`})`);
  }
}

/** False where the connection cannot be used any more. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}
