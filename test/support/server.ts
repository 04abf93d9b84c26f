import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";

/** What `test/run.ts` hands to every test file: a server and a database at the newest schema. */
export type TestServer = {
  readonly admin: ClientConfig;
  readonly template: string;
  /** How PostgreSQL copies the template. */
  readonly copyStrategy: "file_copy" | "wal_log";
};

export function testServer(): TestServer {
  const text = process.env.BILLFOLD_TEST_SERVER;
  if (text === undefined) throw new Error("Run tests with `npm test`, which brings the database.");
  return JSON.parse(text) as TestServer;
}

const TOO_MANY_CLIENTS = "53300";
const CONNECT_TRIES_MAX = 50;
const CONNECT_PAUSE_MS = 200;

/** On a server that others use as well, all connections may be taken for a while. */
async function connect<Client>(attempt: () => Promise<Client>): Promise<Client> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== TOO_MANY_CLIENTS || tries === CONNECT_TRIES_MAX) throw error;
      await sleep(CONNECT_PAUSE_MS);
    }
  }
}

export async function withAdmin<Result>(
  admin: ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connect(async () => {
    const fresh = new pg.Client(admin);
    await fresh.connect();
    return fresh;
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let keeper: pg.Pool | undefined;

/** The connection by which this process makes and drops its databases, kept between two of them. */
async function withKeptAdmin(
  admin: ClientConfig,
  work: (client: pg.ClientBase) => Promise<unknown>,
) {
  keeper ??= new pg.Pool({ ...admin, max: 1, allowExitOnIdle: true }).on("error", () => undefined);
  const pool = keeper;
  const client = await connect(() => pool.connect());
  let failure: Error | undefined;
  try {
    await work(client);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

export type TestDatabase = {
  readonly connection: ClientConfig;
  /** The same as an address, for processes that take `DATABASE_URL`. */
  readonly url: string;
  drop(): Promise<void>;
};

/** A copy of the template: milliseconds, where migrating from nothing takes a second. */
export async function createDatabase(
  { admin, template, copyStrategy }: TestServer = testServer(),
): Promise<TestDatabase> {
  const name = `${namesOfRun(template)}${randomBytes(6).toString("hex")}`;
  await withKeptAdmin(admin, async (client) => {
    await client.query(`create database ${name} template ${template} strategy ${copyStrategy}`);
    // A given server keeps what it is told also after a power cut. Nobody needs that of a test, so no
    // commit waits for the disk. Our own server is started that way.
    if (copyStrategy === "wal_log") {
      await client.query(`alter database ${name} set synchronous_commit = off`);
    }
  });
  const connection = { ...admin, database: name };
  return {
    connection,
    url: toUrl(connection),
    async drop() {
      if (copyStrategy === "wal_log") dropTogether(admin, name);
      else await withKeptAdmin(admin, (client) => dropDatabase(client, name));
    },
  };
}

/** What the names of all databases of a run begin with, so that the run can remove what is left of them. */
const namesOfRun = (template: string): string => `${template.replace("_template_", "_test_")}_`;

const DROPPED_TOGETHER = 4;
const abandoned: string[] = [];
let dropping = Promise.resolve();

/**
 * A durable server writes everything to disk before it drops a database. That takes more than a second, for several
 * at once as long as for one, and no test waits for it.
 */
function dropTogether(admin: ClientConfig, name: string): void {
  abandoned.push(name);
  if (abandoned.length < DROPPED_TOGETHER) return;
  const names = abandoned.splice(0);
  // One batch after the other: tests need the connections of a server that has few. What cannot be dropped now
  // is dropped at the end of the run.
  dropping = dropping.then(() => dropAll(admin, names)).then(() => undefined);
}

/** Gives what went wrong, a line for each database. */
async function dropAll(admin: ClientConfig, names: readonly string[]): Promise<string[]> {
  const failures = names.map((name) =>
    withAdmin(admin, (client) => dropDatabase(client, name)).then(
      () => [],
      ({ message }: Error) => [`${name} cannot be dropped: ${message}`],
    ),
  );
  return (await Promise.all(failures)).flat();
}

/** Removes the template, and then the databases that tests have left behind: nobody copies it any more. */
export async function dropDatabasesOfRun(admin: ClientConfig, template: string): Promise<string[]> {
  const failures = await dropAll(admin, [template]);
  const names = await withAdmin(admin, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where starts_with(datname, $1)",
      [namesOfRun(template)],
    );
    return rows.map(({ datname }) => datname);
  });
  while (names.length > 0)
    failures.push(...(await dropAll(admin, names.splice(0, DROPPED_TOGETHER))));
  return failures;
}

const IN_USE = "55006";
const DROP_TRIES_MAX = 10;

/**
 * With whoever is connected as we are. Not by force: that takes a superuser where the server's own
 * cleaner looks at the database, and without it the server sends its cleaner away itself.
 */
export async function dropDatabase(client: pg.ClientBase, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = $1 and usename = current_user and pid <> pg_backend_pid()`,
      [name],
    );
    try {
      await client.query(`drop database if exists ${name}`);
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== IN_USE || tries === DROP_TRIES_MAX) throw error;
    }
  }
}

export function toUrl({
  host = "127.0.0.1",
  port = 5432,
  user = "",
  password,
  database = "",
}: ClientConfig): string {
  const secret =
    typeof password === "string" && password !== "" ? `:${encodeURIComponent(password)}` : "";
  const place = new URLSearchParams({ host, port: String(port) });
  return `postgres://${encodeURIComponent(user)}${secret}@localhost/${database}?${place}`;
}
