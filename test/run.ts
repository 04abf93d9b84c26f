import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type StatsFs, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { enableCompileCache, flushCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ClientConfig } from "pg";
import { parse as parseConnection } from "pg-connection-string";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { CHROMIUM } from "./support/chromium-path.ts";
import { postmasterPid } from "./support/embedded-postgres.ts";
import type { FileQueue } from "./support/file-queue.ts";
import { OPENSSH } from "./support/openssh-path.ts";
import { secondsOfChildren } from "./support/processor-use.ts";
import { type TestServer, withAdmin } from "./support/server.ts";
import { isAlone, isPatient, kindOf, testFiles } from "./support/test-files.ts";

/*
 * The whole suite: one PostgreSQL (our own, or the server in DATABASE_URL), one migrated template
 * that every test copies, then Node's test runner. Arguments are path prefixes to run less, or
 * `--database` for what depends on the database server, to try another one.
 */

const COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/billfold-tests");
const TIME_LIMIT = pathToFileURL(join(import.meta.dirname, "support/time-limit.ts"));
const ASYNC_TRACKING = pathToFileURL(join(import.meta.dirname, "support/async-tracking.ts"));
const PROCESSOR_USE = pathToFileURL(join(import.meta.dirname, "support/processor-use.ts"));
const FILE_QUEUE = pathToFileURL(join(import.meta.dirname, "support/file-queue.ts"));
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

/** Together they use less than one of two processors. */
const PATIENT_AT_ONCE_MAX = 4;

/** `time-limit.ts` knows processes that share files by this name. */
const SHARED = "shared";
/** Of processes that share files, so many begin with the suite, and so many when others have ended. */
const SHARERS_OF_SERVER = { early: 2, late: 2 };
const SHARERS_WITHOUT = { early: 1, late: 1 };
/** Two browsers at once slow each other down. */
const SHARERS_OF_BROWSER = { early: 1, late: 0 };
/** For fewer files, one more process would load the product for longer than it helps. */
const FILES_OF_A_SHARER_MIN = 5;

/** What one process runs. */
type Program = { readonly name: string; readonly text: string };

/**
 * Loading the product takes longer than the tests of most files, so a few processes share them all.
 * Files that start processes of the product have a process of their own. They run beside the first of the sharing processes; the others help with what is left at the
 * end. Files without a database share no process with the others: their tests see the product as it
 * is, and not as the harness of a database sets it up.
 */
async function shareProcesses(files: readonly string[], folder: string): Promise<Program[]> {
  await mkdir(folder);
  const { browser = [], server = [], plain = [], own = [] } = Object.groupBy(files, kindOf);
  const withBrowser = await sharersOf(browser, join(folder, "browser"), SHARERS_OF_BROWSER);
  const withServer = await sharersOf(server, join(folder, "server"), SHARERS_OF_SERVER);
  const without = await sharersOf(plain, join(folder, "plain"), SHARERS_WITHOUT);
  return [
    ...withBrowser.early,
    ...withServer.early,
    ...without.early,
    ...own.map(programOf),
    ...withServer.late,
    ...without.late,
  ];
}

type Sharers<Each> = { readonly early: Each; readonly late: Each };

async function sharersOf(
  files: readonly string[],
  folder: string,
  { early, late }: Sharers<number>,
): Promise<Sharers<Program[]>> {
  await mkdir(folder);
  const queue: FileQueue = { folder, files: largestFirst(files) };
  const text = `
    import { runQueue } from ${JSON.stringify(FILE_QUEUE.href)};
    runQueue(${JSON.stringify(queue)});
  `;
  const length = Math.min(Math.ceil(files.length / FILES_OF_A_SHARER_MIN), early + late);
  const programs = Array.from({ length }, () => ({ name: SHARED, text }));
  return { early: programs.slice(0, early), late: programs.slice(early) };
}

function programOf(file: string): Program {
  const { href } = pathToFileURL(resolve(file));
  return {
    name: file.replaceAll("/", ".").replace(/\.test\.ts$/, ""),
    text: `
      import { noteUseAtEnd } from ${JSON.stringify(PROCESSOR_USE.href)};
      import { register } from ${JSON.stringify(ASYNC_TRACKING.href)};
      noteUseAtEnd(${JSON.stringify(file)});
      await register(() => import(${JSON.stringify(href)}));
    `,
  };
}

/** The runner sorts what it is given by name, so the names begin with the place in our order. */
async function writePrograms(programs: readonly Program[], folder: string): Promise<string[]> {
  await mkdir(folder);
  const writing = programs.map(async ({ name, text }, at) => {
    const path = join(folder, `${String(at).padStart(3, "0")}-${name}.test.mjs`);
    await writeFile(path, text);
    return path;
  });
  return await Promise.all(writing);
}

/** Large files take longer: begun first, nobody waits for one of them alone at the end. */
function largestFirst(files: readonly string[]): string[] {
  const bytesOf = new Map(files.map((file) => [file, statSync(file).size]));
  return [...files].sort((left, right) => (bytesOf.get(right) ?? 0) - (bytesOf.get(left) ?? 0));
}

/**
 * Limits for all tests of a process together. Where processes are shared, each file has a shorter limit
 * of its own: see `time-limit.ts` and `file-queue.ts`.
 */
const PROCESS_MS_MAX = 595_000;
const SHARED_PROCESS_MS_MAX = 3_600_000;

async function runAll(files: readonly string[], server: TestServer): Promise<number> {
  const processesAtOnce = await countProcesses(server.admin);
  const ordinary = files.filter((file) => !isAlone(file) && !isPatient(file));
  const folder = await mkdtemp(join(tmpdir(), "billfold-test-entries-"));
  const patientAtOnce = Math.min(PATIENT_AT_ONCE_MAX, processesAtOnce);
  const groups = [
    {
      name: "ordinary",
      programs: await shareProcesses(ordinary, join(folder, "queues")),
      atOnce: processesAtOnce,
      timeoutMs: SHARED_PROCESS_MS_MAX,
    },
    {
      name: "patient",
      programs: await shareProcesses(files.filter(isPatient), join(folder, "patient-queues")),
      atOnce: patientAtOnce,
      timeoutMs: SHARED_PROCESS_MS_MAX,
    },
    {
      name: "alone",
      programs: files.filter(isAlone).map(programOf),
      atOnce: 1,
      timeoutMs: PROCESS_MS_MAX,
    },
  ];
  let code = 0;
  for (const group of groups) {
    if (group.programs.length === 0 || isInterrupted) continue;
    const place = join(folder, group.name);
    const files = await writePrograms(group.programs, place);
    const useOfProcessor = join(place, "use.jsonl");
    code = (await runNode({ ...group, files, useOfProcessor }, server)) || code;
  }
  await rm(folder, { recursive: true, force: true });
  return code;
}

type Group = {
  readonly files: readonly string[];
  readonly atOnce: number;
  readonly timeoutMs: number;
  /** Where processes note what they used of the processor. */
  readonly useOfProcessor: string;
};

function runNode(
  { files, atOnce, timeoutMs, useOfProcessor }: Group,
  server: TestServer,
): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      "--test",
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      `--test-reporter=${SLOWEST_FILES}`,
      "--test-reporter-destination=stdout",
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${timeoutMs}`,
      `--import=${TIME_LIMIT}`,
      `--import=${ASYNC_TRACKING}`,
      ...files,
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        BILLFOLD_TEST_SERVER: JSON.stringify(server),
        BILLFOLD_TEST_USE: useOfProcessor,
        // Without this, each process would compile the whole product again.
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        // There are none: looking for them takes a sixth of the time of loading the product. Threads
        // inherit it only in this way.
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --preserve-symlinks`,
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
if (OPENSSH === undefined) {
  console.error("There is no OpenSSH: the file drop is tried with a library alone.");
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
  // The product is compiled here, once, if it has changed: the processes of the tests find it done.
  enableCompileCache(COMPILE_CACHE);
  const { prepareTemplate } = await import("./support/template.ts");
  flushCompileCache();
  await prepareTemplate({ ...server.admin, database: template });
  const { admin, copyStrategy } = server;
  code = await runAll(files, { admin, template, copyStrategy });
} finally {
  await withAdmin(server.admin, (client) => client.query(`drop database if exists ${template}`));
  await server.stop();
}
process.exit(code);
