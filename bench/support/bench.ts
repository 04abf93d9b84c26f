import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { prepareDatabase } from "#main/open-database.ts";
import { dropDatabase, toUrl, withAdmin } from "#test/support/server.ts";
import { copyTables } from "./bare-tables.ts";
import { type Server, startServer } from "./process.ts";
import { type Product, startProduct } from "./product.ts";

/** What the lines of one run share: a folder, a database, and one running product. */
export type Bench = {
  readonly folder: string;
  /** As the owner, with the schema of the product. */
  readonly connection: ClientConfig;
  readonly postgresVersion: string;
  /**
   * The product with one tenant and one key, and copies of its tables for the baselines; made for the
   * first line that asks.
   */
  product(): Promise<Product>;
  /** A program of `bench/baselines`, on the same database. */
  baseline(program: string): Promise<Server>;
  /** Another program that the lines need beside the product. */
  helper(program: string): Promise<Server>;
  /** An empty database beside the common one, for a product of its own. */
  createDatabase(name: string): Promise<string>;
  /** Runs at the end, before what was there earlier goes. */
  onClose(undo: () => Promise<unknown>): void;
  close(): Promise<void>;
};

const DATABASE = `billfold_bench_${process.pid}`;

export async function openBench(): Promise<Bench> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), "billfold-bench-"));
    stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const admin = await openServer(folder, stack);
    const createDatabase = async (name: string) => {
      await withAdmin(admin, (client) => client.query(`create database ${name}`));
      stack.defer(async () => {
        await withAdmin(admin, (client) => dropDatabase(client, name));
      });
      return databaseUrl(admin, name);
    };
    const url = await createDatabase(DATABASE);
    const connection = { connectionString: url };
    await prepareDatabase(connection);

    const open = async () => {
      const started = stack.use(closing(await startProduct({ folder, databaseUrl: url })));
      await copyTables(connection);
      return started;
    };
    const start = async (place: string, program: string) => {
      const server = await startServer({
        program: join(import.meta.dirname, "..", place, program),
        env: { DATABASE_URL: url, NODE_ENV: "production" },
        readyPath: "/ready",
        outputFile: join(folder, `${program}.log`),
      });
      return stack.use(closing(server));
    };
    let product: Promise<Product> | undefined;
    return {
      folder,
      connection,
      postgresVersion: await versionOf(connection),
      product() {
        product ??= open();
        return product;
      },
      baseline: (program) => start("baselines", program),
      helper: (program) => start("support", program),
      createDatabase: (name) => createDatabase(`${DATABASE}_${name}`),
      onClose(undo) {
        stack.defer(async () => {
          await undo();
        });
      },
      close: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** `DATABASE_URL` where it is set; else our own, with the settings it has in operation. */
async function openServer(folder: string, stack: AsyncDisposableStack): Promise<ClientConfig> {
  const { DATABASE_URL: given } = process.env;
  if (given !== undefined && given !== "") return { connectionString: given };
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, "database"),
    log: () => undefined,
  });
  stack.defer(() => server.stop());
  return server.connection;
}

function databaseUrl(admin: ClientConfig, database: string): string {
  if (admin.connectionString === undefined) return toUrl({ ...admin, database });
  const url = new URL(admin.connectionString);
  url.pathname = `/${database}`;
  return url.href;
}

function versionOf(connection: ClientConfig): Promise<string> {
  return withAdmin(connection, async (client) => {
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    return rows[0]?.server_version ?? "unknown";
  });
}

function closing<Running extends { stop(): Promise<void> }>(running: Running) {
  return Object.assign(running, { [Symbol.asyncDispose]: () => running.stop() });
}
