import pg from "pg";
import { SUPERUSER } from "./embedded-cluster.ts";
import type { Endpoint } from "./embedded-socket.ts";

export const DATABASE = "billfold";
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;

export type Connection = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

/**
 * The program connects as an ordinary role that owns its database, as with any DATABASE_URL:
 * row-level security would not apply to a superuser.
 */
export function connectionTo(endpoint: Endpoint, password: string): Connection {
  const { host, port } = endpoint;
  return { host, port, user: DATABASE, password, database: DATABASE };
}

/**
 * Creates the role and the database where they are missing. Each step can be repeated: if the
 * process is killed between two steps, the next start does the rest.
 */
export async function ensureDatabase(connection: Connection): Promise<void> {
  await withClient(asSuperuser(connection), async (client) => {
    const role = await client.query("select from pg_roles where rolname = $1", [DATABASE]);
    if (role.rowCount === 0) {
      const password = client.escapeLiteral(connection.password);
      await client.query(
        `create role ${DATABASE} login createdb createrole in role pg_monitor password ${password}`,
      );
    }
    const database = await client.query("select from pg_database where datname = $1", [DATABASE]);
    if (database.rowCount === 0) {
      await client.query(`create database ${DATABASE} owner ${DATABASE}`);
    }
  });
}

/** The mark the running server was started with; see `ServerSettings.settingsMark`. */
export async function readSettingsMark(connection: Connection): Promise<string | undefined> {
  const result = await withClient(asSuperuser(connection), (client) =>
    client.query<{ mark: string | null }>(
      "select current_setting('billfold.settings', true) as mark",
    ),
  );
  return result.rows[0]?.mark ?? undefined;
}

function asSuperuser(connection: Connection): Connection {
  return { ...connection, user: SUPERUSER, database: "postgres" };
}

async function withClient<T>(
  connection: Connection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  // When the server dies, the query fails as well; an unhandled `error` event would end the
  // process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
