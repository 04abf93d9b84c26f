import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import pg from "pg";
import type { Clock } from "#kernel/clock.ts";
import { createLog } from "#kernel/log.ts";
import type { Provision } from "#kernel/port.ts";
import { startApplication } from "#main/application.ts";
import { loadConfig } from "#main/config.ts";
import { external, openPrepared } from "#main/open-database.ts";
import { type ApiClient, createClient } from "./client.ts";
import { createDatabase, type TestDatabase } from "./server.ts";

/** Anything with an `after` hook: a test, or a whole file by `{ after }` of `node:test`. */
type Owner = { after(undo: () => Promise<void>): void };

type Options = {
  readonly env?: Readonly<Record<string, string>>;
  readonly database?: TestDatabase;
  /** For a process whose own clock is wrong. */
  readonly clock?: Clock;
  /** What a module that is not part of the product would offer. */
  readonly provides?: readonly Provision[];
};

export const TEST_OPERATOR_KEY = "operator-key-of-the-test-suite-0123456789";
const TEST_MASTER_KEY = createHash("sha256").update("test suite").digest("base64");

export type TestApi = Awaited<ReturnType<typeof startApi>>;

/** The whole product on a port and a database of its own, used through its front door. */
export async function startApi(owner: Owner, options: Options = {}) {
  const database = options.database ?? (await createDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), "billfold-test-"));
  const logLines: string[] = [];
  const config = loadConfig({
    PORT: "0",
    SFTP_PORT: "0",
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    OPERATOR_KEY: TEST_OPERATOR_KEY,
    MASTER_KEY: TEST_MASTER_KEY,
    DEMO: "0",
    DATABASE_POOL_SIZE: "5",
    LOG_LEVEL: "info",
    ...options.env,
  });
  const log = createLog({
    level: config.logLevel,
    destination: { write: (line) => void logLines.push(line) },
  });
  const application = await startApplication(config, {
    log,
    // Every database of a test is a copy of one that has the newest schema.
    database: openPrepared(external(config.databaseUrl ?? "")),
    checkReplies: true,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    provides: options.provides ?? [],
    refusesSecond: true,
  });
  const owned = options.database === undefined ? database : undefined;
  const session = createOwnerSession(database);

  const stopNodes: (() => Promise<void>)[] = [];
  owner.after(async () => {
    // Before their database goes.
    for (const stop of stopNodes) await stop();
    await session.end();
    await application.stop();
    await owned?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const client: ApiClient = createClient(application.url ?? "");
  return {
    ...client,
    application,
    runtime: application.runtime,
    database,
    operatorKey: config.operatorKey ?? TEST_OPERATOR_KEY,
    logLines,
    seed: createSeed(client),
    /** As the owner of the database: row-level security is bypassed on purpose. */
    sql: session.sql,
    /** Another node on the same database. It stops with the first one, or earlier with its `owner`. */
    node: (
      env: Record<string, string> = {},
      { owner: own, ...more }: Pick<Options, "clock" | "provides"> & { owner?: Owner } = {},
    ) =>
      startApi(own ?? { after: (stop) => void stopNodes.unshift(stop) }, {
        env: { ...options.env, ...env },
        database,
        ...more,
      }),
  };
}

/** Connects at the first statement: most tests look at nothing but answers. */
function createOwnerSession({ connection }: TestDatabase) {
  let connected: Promise<pg.Client> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const connect = async () => {
    const client = new pg.Client(connection);
    await client.connect();
    await client.query("set app.tenant = '*'");
    return client;
  };
  return {
    /** One statement at a time, as a connection wants it, also for tests that run at once. */
    async sql(text: string, values: unknown[] = []) {
      connected ??= connect();
      const client = await connected;
      const answer = last.then(() => client.query(text, values));
      last = answer.catch(() => undefined);
      return (await answer).rows as Record<string, unknown>[];
    },
    async end(): Promise<void> {
      const client = await connected?.catch(() => undefined);
      await client?.end();
    },
  };
}

function createSeed(client: ApiClient) {
  const key = TEST_OPERATOR_KEY;
  let count = 0;
  return {
    async tenant(tenantId: string, files: Record<string, string> = {}): Promise<void> {
      const body = { files: { "tenant.yml": `name: ${tenantId}\n`, ...files } };
      const { status, text } = await client.put(`/api/tenants/${tenantId}`, { key, body });
      if (status > 201) throw new Error(`Tenant not seeded: ${text}`);
    },
    async key(tenantId: string, ...scopes: string[]): Promise<string> {
      count += 1;
      const body = { name: `seed-${count}`, scopes };
      const sent = await client.post(`/api/${tenantId}/admin/apiKeys`, { key, body });
      if (sent.status !== 201) throw new Error(`Key not seeded: ${sent.text}`);
      return sent.body.token;
    },
  };
}

/** One API for all tests of a `describe`; reach it through the function this returns. */
export function shareApi(options: Options = {}): () => TestApi {
  let api: TestApi | undefined;
  const undos: (() => Promise<void>)[] = [];
  before(async () => {
    api = await startApi({ after: (undo) => void undos.unshift(undo) }, options);
  });
  after(async () => {
    for (const undo of undos) await undo();
  });
  return () => {
    if (api === undefined) throw new Error("The API is shared from inside tests only.");
    return api;
  };
}
