import { join } from "node:path";
import pg, { type ClientConfig } from "pg";
import { ADVISORY_LOCKS } from "#kernel/db/advisory-locks.ts";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { migrate } from "#kernel/db/migrate.ts";
import type { Log } from "#kernel/log.ts";
import type { Config } from "./config.ts";

const MIGRATIONS = join(import.meta.dirname, "../../db/migrations");
const APP_ROLE = "billfold_app";
const ALONE_WAIT_SECONDS_MAX = 60;

export type DatabaseHome = {
  /** A connection with the owner's rights: for migrations, background jobs and signals. */
  readonly connection: ClientConfig;
  /** The role that requests run under; undefined where the server did not let us create it. */
  readonly role: string | undefined;
  /** The migrations that this start applied. */
  readonly added: readonly string[];
  /**
   * Runs work while no other process on this database runs such work, for nodes that start
   * together.
   */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
};

/**
 * Opens a database with the newest schema: the one in `DATABASE_URL`, or our own under the data
 * directory.
 */
export async function openDatabase(
  config: Config,
  log: Log,
  onDataLost?: () => void,
): Promise<DatabaseHome> {
  const server =
    config.databaseUrl === undefined
      ? await startOwn(config, log, onDataLost)
      : external(config.databaseUrl);
  try {
    const added = await prepareDatabase(server.connection);
    if (added.length > 0) log.info({ added }, "database migrated");
    return { ...(await openPrepared(server)), added };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Opens a database that has the newest schema already. */
export async function openPrepared(server: Server): Promise<DatabaseHome> {
  const { connection } = server;
  const role = await findRole(connection);
  return { ...server, added: [], role, alone: (work) => runAlone(connection, work) };
}

/** Brings a database to the newest schema; returns the migrations that were added. */
export function prepareDatabase(connection: ClientConfig): Promise<string[]> {
  return migrate(connection, MIGRATIONS);
}

type Server = { readonly connection: ClientConfig; stop(): Promise<void> };

async function startOwn(config: Config, log: Log, onLost?: () => void): Promise<Server> {
  const server = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (message, detail) => log.info(detail ?? {}, message),
    ...(onLost === undefined ? {} : { onLost }),
  });
  return { connection: server.connection, stop: () => server.stop() };
}

export function external(databaseUrl: string): Server {
  return {
    connection: { connectionString: databaseUrl, connectionTimeoutMillis: 10_000 },
    stop: async () => undefined,
  };
}

async function withClient<Result>(
  connection: ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(connection);
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The lock ends with its connection, so a process that dies does not keep it. */
function runAlone<Result>(connection: ClientConfig, work: () => Promise<Result>): Promise<Result> {
  return withClient(connection, async (client) => {
    await client.query(`set lock_timeout = '${ALONE_WAIT_SECONDS_MAX}s'`);
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.start]);
    return await work();
  });
}

/**
 * Row-level security does not apply to a superuser, so a superuser must be able to use the role.
 */
function findRole(connection: ClientConfig): Promise<string | undefined> {
  return withClient(connection, async (client) => {
    try {
      await client.query(`set role ${APP_ROLE}`);
      return APP_ROLE;
    } catch {
      const { rows } = await client.query<{ bypasses: boolean }>(
        "select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user",
      );
      if (rows[0]?.bypasses !== true) return undefined;
    }
    throw new Error(
      `The user of DATABASE_URL steps around row-level security and cannot become ${APP_ROLE}.`,
    );
  });
}
