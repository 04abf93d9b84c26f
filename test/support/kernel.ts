import type { TestContext } from "node:test";
import pg, { type ClientConfig } from "pg";
import { type Actor, EVERY_SCOPE } from "#kernel/actor.ts";
import { Database } from "#kernel/db/database.ts";
import type { TransactionOrigin } from "#kernel/db/transaction.ts";
import type { JobDefinition } from "#kernel/jobs/define.ts";
import { JOB_TIMES, type JobTimes } from "#kernel/jobs/job-boss.ts";
import { type Jobs, openJobs } from "#kernel/jobs/jobs.ts";
import { createLog, type Log } from "#kernel/log.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { createDatabase } from "./server.ts";

/** The kernel below HTTP, for tests of promises that no route shows. */

const ACTOR: Actor = {
  kind: "operator",
  id: "operator",
  scopes: EVERY_SCOPE,
  reach: "everywhere",
  scopeNames: new Map(),
  credentialId: "operator",
};

export const testClock = { now: () => new Date() };

/** Transactions of the kernel's tests need no tenant. */
export function originOf(tenantId: string): TransactionOrigin {
  const origin = { tenantId, actor: ACTOR, requestId: "req-1", op: "test.run", ip: "127.0.0.1" };
  return { ...origin, createsTenant: true };
}

export function collectLog(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLog({ level: "info", destination }), lines };
}

/** A database of one test, which is dropped at its end. */
export type LentDatabase = {
  readonly connection: ClientConfig;
  /** As the owner, outside any tenant's bounds. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  addTenant(tenantId: string): Promise<void>;
  /** Under the role of requests, as the product opens it. */
  open(poolSize?: number, log?: Log): Database;
  /** Runs at the end of the test, the last one first, and before the database goes. */
  undoLater(undo: () => Promise<void>): void;
};

export async function lendDatabase(t: Pick<TestContext, "after">): Promise<LentDatabase> {
  const database = await createDatabase();
  const owner = new pg.Client(database.connection);
  await owner.connect();
  await owner.query("set app.tenant = '*'");
  const undoing = new AsyncDisposableStack();
  undoing.defer(() => database.drop());
  undoing.defer(() => owner.end());
  t.after(() => undoing.disposeAsync());
  return {
    connection: database.connection,
    sql: async (text, values = []) => (await owner.query(text, values)).rows,
    async addTenant(tenantId) {
      await owner.query(
        `insert into tenant (id, name, version, settings, created_at, updated_at)
         values ($1, $1, 1, '{}', now(), now())`,
        [tenantId],
      );
    },
    open(poolSize = 2, log = collectLog().log) {
      const db = openDatabase(database.connection, poolSize, log);
      undoing.defer(() => db.close());
      return db;
    },
    undoLater: (undo) => undoing.defer(undo),
  };
}

export function openDatabase(connection: ClientConfig, poolSize: number, log: Log): Database {
  const role = "billfold_app";
  return new Database({ connection, poolSize, clock: testClock, log, role, refusesSecond: true });
}

/** Jobs on a database of their own choosing: what `src/main` wires, without the rest of it. */
export async function wireJobs(
  connection: ClientConfig,
  db: Database,
  definitions: readonly JobDefinition[],
  log: Log,
  times: JobTimes = JOB_TIMES,
): Promise<Jobs> {
  const runtime = { db, clock: testClock, log } as Runtime;
  const jobs = await openJobs({ connection, runtime: () => runtime, definitions, log, times });
  await jobs.prepare();
  db.addCommitStep(jobs.commitStep);
  return jobs;
}
