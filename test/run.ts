import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ClientConfig } from "pg";
import { parse as parseConnection } from "pg-connection-string";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { openJobs } from "#kernel/jobs/jobs.ts";
import { createLog } from "#kernel/log.ts";
import { allJobs } from "#main/modules.ts";
import { prepareDatabase } from "#main/open-database.ts";
import { CHROMIUM } from "./support/chromium-path.ts";
import { type TestServer, withAdmin } from "./support/server.ts";

/*
 * The whole suite: one PostgreSQL (our own, or the server in DATABASE_URL), one migrated template
 * that every test copies, then Node's test runner. Arguments are path prefixes to run less, or
 * `--database` for what depends on the database server, to try another one.
 */

const COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/billfold-tests");
const TIME_LIMIT = pathToFileURL(join(import.meta.dirname, "support/time-limit.ts"));
const SLOWEST_FILES = pathToFileURL(join(import.meta.dirname, "support/slowest-files.ts"));

type Server = Pick<TestServer, "admin" | "copyStrategy"> & { stop(): Promise<void> };

async function ownServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), "billfold-tests-"));
  const server = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    durable: false,
    maxConnections: 300,
  });
  return {
    admin: server.connection,
    // A fifth of the time of a copy by the log, where no file is flushed to disk.
    copyStrategy: "file_copy",
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
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

const OF_THE_DATABASE = "--database";
const USES_THE_SERVER = /support\/(start-api|server|kernel)\.ts"/;
/** Of the tests outside of `src`, those whose promise is kept by statements, locks or transactions. */
const KEPT_BY_THE_DATABASE = [
  "test/architecture/migrations.test.ts",
  "test/contract/audit-of-writes.test.ts",
  "test/contract/idempotent-operations.test.ts",
  "test/contract/lists.test.ts",
  "test/contract/tenant-isolation.test.ts",
];

/** Promises about time hold or not whatever the server: one run of them is enough. */
function dependsOnDatabase(file: string): boolean {
  if (isAlone(file) || isPatient(file)) return false;
  if (!file.startsWith("src/")) return KEPT_BY_THE_DATABASE.includes(file);
  return USES_THE_SERVER.test(readFileSync(file, "utf8"));
}

function testFiles(prefixes: readonly string[]): string[] {
  // Journeys and faults take longest: begun first, nobody waits for one of them alone at the end.
  const files = globSync("{src,test}/**/*.test.ts").sort().reverse();
  if (prefixes.includes(OF_THE_DATABASE)) return files.filter(dependsOnDatabase);
  if (prefixes.length === 0) return files;
  return files.filter((file) => prefixes.some((prefix) => file.startsWith(prefix)));
}

/** Tables and queues as a first start leaves them, so that no test pays for them again. */
async function prepareTemplate(connection: ClientConfig): Promise<void> {
  await prepareDatabase(connection);
  const jobs = await openJobs({
    connection,
    definitions: allJobs(),
    log: createLog({ level: "error" }),
    runtime: () => {
      throw new Error("Nothing runs while the template is made.");
    },
  });
  await jobs.prepare();
  await jobs.stop();
}

/** Files wait as much as they compute: more of them than processors keep both cores busy. */
const FILES_AT_ONCE_MAX = 4;
/** The files with the most processes of the product need about so many connections. */
const CONNECTIONS_OF_A_FILE = 40;

/** A server that others use as well may have room for fewer files than our own. */
async function countFilesAtOnce(admin: ClientConfig): Promise<number> {
  const free = await withAdmin(admin, async (client) => {
    const { rows } = await client.query<{ free: number }>(`
      select current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int
             - (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
             as free`);
    return rows[0]?.free ?? 0;
  });
  const count = Math.floor(free / CONNECTIONS_OF_A_FILE);
  return Math.max(1, Math.min(FILES_AT_ONCE_MAX, count));
}

/** Promises about milliseconds are tried by themselves, with nobody beside them on the machine. */
const isAlone = (file: string): boolean => file.endsWith(".alone.test.ts");

/**
 * Promises about seconds, in files that spend most of their time waiting: they leave each other enough
 * of the machine, where a file that computes all the time would not.
 */
const isPatient = (file: string): boolean => file.endsWith(".patient.test.ts");
const PATIENT_AT_ONCE_MAX = 3;

async function runAll(files: readonly string[], server: TestServer): Promise<number> {
  const filesAtOnce = await countFilesAtOnce(server.admin);
  const groups = [
    { files: files.filter((file) => !isAlone(file) && !isPatient(file)), atOnce: filesAtOnce },
    { files: files.filter(isPatient), atOnce: Math.min(PATIENT_AT_ONCE_MAX, filesAtOnce) },
    { files: files.filter(isAlone), atOnce: 1 },
  ];
  let code = 0;
  for (const group of groups) {
    if (group.files.length === 0 || isInterrupted) continue;
    code = (await runNode(group.files, server, group.atOnce)) || code;
  }
  return code;
}

function runNode(
  files: readonly string[],
  server: TestServer,
  concurrency: number,
): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      "--test",
      // There are none: looking for them takes a sixth of the time of loading the product.
      "--preserve-symlinks",
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      `--test-reporter=${SLOWEST_FILES}`,
      "--test-reporter-destination=stdout",
      `--test-concurrency=${concurrency}`,
      "--test-timeout=120000",
      `--import=${TIME_LIMIT}`,
      ...files,
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        BILLFOLD_TEST_SERVER: JSON.stringify(server),
        // Each file is a process of its own: without this, each would compile the whole product again.
        NODE_COMPILE_CACHE: COMPILE_CACHE,
      },
    },
  );
  stopRunning = () => child.kill("SIGTERM");
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}

/** A run that is stopped takes its database server and its folder with it. */
let isInterrupted = false;
let stopRunning = (): unknown => undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    stopRunning();
  });
}

const prefixes = process.argv.slice(2);
const files = testFiles(prefixes);
if (files.length === 0) {
  console.error(`No test file begins with ${prefixes.join(", ")}.`);
  process.exit(1);
}
if (CHROMIUM === undefined) {
  console.error("There is no Chromium (or CHROMIUM_PATH): pages are tried over HTTP alone.");
}
const url = process.env.DATABASE_URL;
const server = url === undefined || url === "" ? await ownServer() : givenServer(url);
const template = `billfold_template_${randomBytes(6).toString("hex")}`;
let code = 1;
try {
  await withAdmin(server.admin, (client) => client.query(`create database ${template}`));
  await prepareTemplate({ ...server.admin, database: template });
  const { admin, copyStrategy } = server;
  code = await runAll(files, { admin, template, copyStrategy });
} finally {
  await withAdmin(server.admin, (client) => client.query(`drop database if exists ${template}`));
  await server.stop();
}
process.exit(code);
