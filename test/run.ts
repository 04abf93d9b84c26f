import { randomBytes } from "node:crypto";
import type { StatsFs } from "node:fs";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { enableCompileCache, flushCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { parse as parseConnection } from "pg-connection-string";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { buildProgram } from "../scripts/build-program.ts";
import { CHROMIUM } from "./support/chromium-path.ts";
import { LONG_VARIABLE } from "./support/combinations.ts";
import { postmasterPid } from "./support/embedded-postgres.ts";
import { OPENSSH } from "./support/openssh-path.ts";
import { secondsOfChildren } from "./support/processor-use.ts";
import { runFiles } from "./support/run-files.ts";
import { runSeed, SEED_VARIABLE } from "./support/run-seed.ts";
import { dropDatabasesOfRun, type TestServer, withAdmin } from "./support/server.ts";
import { testFiles } from "./support/test-files.ts";
import { COMPILE_CACHE } from "./support/test-processes.ts";

/*
 * The whole suite: one PostgreSQL (our own, or the server in DATABASE_URL), one migrated template
 * that every test copies, then Node's test runner. Arguments are path prefixes to run less, or
 * `--database` for what depends on the database server, to try another one; `--long` tries every
 * combination where an ordinary run tries every pair.
 */

type Server = Pick<TestServer, "admin" | "copyStrategy"> & { stop(): Promise<void> };

/** Every test copies a database of some four hundred files, which takes least time in memory. */
const MEMORY_FOLDER = "/dev/shm";
/** Far more than the databases that exist at the same time, and what the server itself needs. */
const MEMORY_BYTES_MIN = 4 * 2 ** 30;

async function dataFolder(): Promise<string> {
  const { bavail = 0, bsize = 0 } = await statfs(MEMORY_FOLDER).catch(
    () => ({}) as Partial<StatsFs>,
  );
  const hasRoom = Math.min(bavail * bsize, process.availableMemory()) > MEMORY_BYTES_MIN;
  return hasRoom ? MEMORY_FOLDER : tmpdir();
}

async function ownServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(await dataFolder(), "billfold-tests-"));
  const server = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    durable: false,
    maxConnections: 400,
  });
  await makeSignInCheap(dataDir);
  return {
    admin: server.connection,
    // A fifth of the time of a copy by the log, where no file is flushed to disk.
    copyStrategy: "file_copy",
    async stop() {
      const seconds = secondsOfChildren(postmasterPid(dataDir));
      console.log(`PostgreSQL took ${seconds.toFixed(0)} s of the processor.`);
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Over its socket, which nobody else can reach, the server asks for no password. */
const SIGN_IN = "local all all trust\nhost all all all scram-sha-256\n";

/**
 * A start of the product opens more than a dozen connections, and to prove the password takes thousands of
 * rounds of hashing for each.
 */
async function makeSignInCheap(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, "postgres", "pg_hba.conf"), SIGN_IN);
  process.kill(postmasterPid(dataDir), "SIGHUP");
}

function givenServer(url: string): Server {
  const { host, port, user, password, database } = parseConnection(url);
  const admin: ClientConfig = {
    host: host ?? "127.0.0.1",
    port: Number(port ?? 5432),
    database: database ?? "postgres",
    ...(user === undefined ? {} : { user }),
    ...(typeof password === "string" ? { password } : {}),
  };
  return { admin, copyStrategy: "wal_log", stop: async () => undefined };
}

/** Files wait as much as they compute: more of them than processors keep both cores busy. */
const PROCESSES_AT_ONCE_MAX = 4;
/** A file with two nodes of the product needs so many connections, and few files have more nodes. */
const CONNECTIONS_OF_A_PROCESS = 24;

/** A server that others use as well may have room for less than our own. */
async function countProcesses(admin: ClientConfig): Promise<number> {
  const free = await withAdmin(admin, async (client) => {
    const { rows } = await client.query<{ free: number }>(`
      select current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int
             - (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
             as free`);
    return rows[0]?.free ?? 0;
  });
  const count = Math.floor(free / CONNECTIONS_OF_A_PROCESS);
  return Math.max(1, Math.min(PROCESSES_AT_ONCE_MAX, count));
}

/** A run that is stopped takes its database server and its folder with it. */
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => interruption.abort());
}

const LONG = "--long";
const words = process.argv.slice(2);
const prefixes = words.filter((word) => word !== LONG);
const files = testFiles(prefixes);
if (files.length === 0) {
  console.error(`No test file begins with ${prefixes.join(", ")}.`);
  process.exit(1);
}
if (OPENSSH === undefined) {
  console.error("There is no OpenSSH: the file drop is tried with a library alone.");
}
if (CHROMIUM === undefined) {
  console.error("There is no Chromium (or CHROMIUM_PATH): pages are tried over HTTP alone.");
}
// Tests start hundreds of processes of the product, which takes less than half of the time if it is built.
await buildProgram().catch(({ message }: Error) => {
  console.error(`The program is not built, and runs from its sources: ${message}`);
});
const seed = String(runSeed());
console.log(`Random data has the seed ${seed}: ${SEED_VARIABLE}=${seed} makes it again.`);
const url = process.env.DATABASE_URL;
const server = url === undefined || url === "" ? await ownServer() : givenServer(url);
const template = `billfold_template_${randomBytes(6).toString("hex")}`;
let isGreen = false;
try {
  await withAdmin(server.admin, (client) => client.query(`create database ${template}`));
  // The product is compiled here, once, if it has changed: the processes of the tests find it done.
  enableCompileCache(COMPILE_CACHE);
  const { prepareTemplate } = await import("./support/template.ts");
  flushCompileCache();
  await prepareTemplate({ ...server.admin, database: template });
  const { admin, copyStrategy } = server;
  const given: TestServer = { admin, template, copyStrategy };
  isGreen = await runFiles(files, {
    processesAtOnce: await countProcesses(admin),
    env: {
      BILLFOLD_TEST_SERVER: JSON.stringify(given),
      [SEED_VARIABLE]: seed,
      [LONG_VARIABLE]: words.includes(LONG) ? "1" : "0",
    },
    signal: interruption.signal,
  });
} finally {
  try {
    for (const line of await dropDatabasesOfRun(server.admin, template)) console.error(line);
  } catch (error) {
    // What the run leaves behind says nothing about the product.
    console.error("Databases of this run could not be dropped:", error);
  } finally {
    await server.stop();
  }
}
process.exit(isGreen ? 0 : 1);
