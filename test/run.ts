import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { globSync, readFileSync, type StatsFs, statSync } from "node:fs";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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
  return usesServer(file);
}

function usesServer(file: string): boolean {
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
const PROCESSES_AT_ONCE_MAX = 4;
/** The files with the most processes of the product need about so many connections. */
const CONNECTIONS_OF_A_FILE = 40;
/** Every other file of the same process may keep a product until the process ends. */
const CONNECTIONS_OF_A_SHARER = 10;
const FILES_WITH_SERVER = 5;
const FILES_WITHOUT_SERVER = 15;

type Plan = { readonly processesAtOnce: number; readonly filesWithServer: number };

/**
 * A server that others use as well may have room for less than our own: then files do not share
 * processes, so that two of them still run at once.
 */
async function planFor(admin: ClientConfig): Promise<Plan> {
  const free = await withAdmin(admin, async (client) => {
    const { rows } = await client.query<{ free: number }>(`
      select current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int
             - (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
             as free`);
    return rows[0]?.free ?? 0;
  });
  const sharing = CONNECTIONS_OF_A_FILE + (FILES_WITH_SERVER - 1) * CONNECTIONS_OF_A_SHARER;
  const isRoomy = free >= 2 * sharing;
  const count = Math.floor(free / (isRoomy ? sharing : CONNECTIONS_OF_A_FILE));
  const processesAtOnce = Math.max(1, Math.min(PROCESSES_AT_ONCE_MAX, count));
  return { processesAtOnce, filesWithServer: isRoomy ? FILES_WITH_SERVER : 1 };
}

/** Promises about milliseconds are tried by themselves, with nobody beside them on the machine. */
const isAlone = (file: string): boolean => file.endsWith(".alone.test.ts");

/**
 * Promises about seconds, in files that spend most of their time waiting: they leave each other enough
 * of the machine, where a file that computes all the time would not.
 */
const isPatient = (file: string): boolean => file.endsWith(".patient.test.ts");
const PATIENT_AT_ONCE_MAX = 3;

const SHARE_A_PROCESS = ["src/", "test/contract/", "test/architecture/"];

/**
 * Loading the product takes longer than the tests of most files, so several files share a process.
 * Journeys and faults start processes of the product or a browser, and have a process of their own.
 * Files without a database share no process with the others: their tests see the product as it is,
 * and not as the harness of a database sets it up.
 */
async function shareProcesses(
  files: readonly string[],
  { filesWithServer }: Plan,
  folder: string,
): Promise<string[]> {
  const shares = (file: string) => SHARE_A_PROCESS.some((place) => file.startsWith(place));
  const sharing = Object.groupBy(files.filter(shares), (file) =>
    usesServer(file) ? "withServer" : "without",
  );
  const groups = [
    ...deal(sharing.withServer ?? [], filesWithServer),
    ...deal(sharing.without ?? [], FILES_WITHOUT_SERVER),
  ];
  const entries = groups.map(async (members, at) => {
    const [only = "", ...others] = members;
    if (others.length === 0) return only;
    const entry = join(folder, `${at}.test.mjs`);
    await writeFile(entry, entryOf(members));
    return entry;
  });
  const others = [...files.filter((file) => !shares(file)), ...(await Promise.all(entries))];
  return spreadBrowsers(others);
}

const usesBrowser = (file: string): boolean =>
  file.endsWith(".ts") && /support\/chromium\.ts"/.test(readFileSync(file, "utf8"));

/** Spreads files with a browser among the others: two browsers at once slow each other down. */
function spreadBrowsers(files: readonly string[]): string[] {
  const others = files.filter((file) => !usesBrowser(file));
  const browsers = files.filter(usesBrowser);
  const gap = Math.max(1, Math.floor(others.length / Math.max(1, browsers.length)));
  return [
    ...others.flatMap((file, at) => {
      const browser = at % gap === 0 ? browsers.shift() : undefined;
      return browser === undefined ? [file] : [browser, file];
    }),
    ...browsers,
  ];
}

/**
 * The first test waits until all files are loaded: the runner ends a process when the tests that it
 * knows have ended, and then undoes what a file did that is still being loaded.
 */
function entryOf(files: readonly string[]): string {
  const urls = files.map((file) => pathToFileURL(resolve(file)).href);
  return `
    import { it } from "node:test";
    const loaded = Promise.withResolvers();
    it("${files.join(", ")}: loads", () => loaded.promise);
    for (const url of ${JSON.stringify(urls)}) await import(url);
    loaded.resolve();
  `;
}

/** Deals the files out by their size, so that no group has all the large ones. */
function deal(files: readonly string[], groupSize: number): string[][] {
  const count = Math.ceil(files.length / groupSize);
  const groups: string[][] = Array.from({ length: count }, () => []);
  const bySize = files
    .map((file) => ({ file, bytes: statSync(file).size }))
    .sort((left, right) => right.bytes - left.bytes);
  for (const [at, { file }] of bySize.entries()) groups[at % count]?.push(file);
  return groups;
}

/**
 * Limits for all tests of a process together. Of the first group, files with a process of their own
 * have the shorter limit, too: `time-limit.ts` ends them.
 */
const PROCESS_MS_MAX = 235_000;
const SHARED_PROCESS_MS_MAX = 300_000;

async function runAll(files: readonly string[], server: TestServer): Promise<number> {
  const plan = await planFor(server.admin);
  const { processesAtOnce } = plan;
  const ordinary = files.filter((file) => !isAlone(file) && !isPatient(file));
  const folder = await mkdtemp(join(tmpdir(), "billfold-test-entries-"));
  const patientAtOnce = Math.min(PATIENT_AT_ONCE_MAX, processesAtOnce);
  const shared = await shareProcesses(ordinary, plan, folder);
  const groups = [
    { files: shared, atOnce: processesAtOnce, timeoutMs: SHARED_PROCESS_MS_MAX },
    { files: files.filter(isPatient), atOnce: patientAtOnce, timeoutMs: PROCESS_MS_MAX },
    { files: files.filter(isAlone), atOnce: 1, timeoutMs: PROCESS_MS_MAX },
  ];
  let code = 0;
  for (const group of groups) {
    if (group.files.length === 0 || isInterrupted) continue;
    code = (await runNode(group, server)) || code;
  }
  await rm(folder, { recursive: true, force: true });
  return code;
}

type Group = {
  readonly files: readonly string[];
  readonly atOnce: number;
  readonly timeoutMs: number;
};

function runNode({ files, atOnce, timeoutMs }: Group, server: TestServer): Promise<number> {
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
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${timeoutMs}`,
      `--import=${TIME_LIMIT}`,
      ...files,
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        BILLFOLD_TEST_SERVER: JSON.stringify(server),
        // Without this, each process would compile the whole product again.
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
