import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { parse as parseConnection } from "pg-connection-string";
import { startEmbeddedPostgres } from "#kernel/db/embedded/embedded-postgres.ts";
import { openJobs } from "#kernel/jobs/jobs.ts";
import { createLog } from "#kernel/log.ts";
import { allJobs } from "#main/modules.ts";
import { prepareDatabase } from "#main/store.ts";
import { type TestServer, withAdmin } from "./support/server.ts";

/*
 * The whole suite: one PostgreSQL (our own, or the server in DATABASE_URL), one migrated template
 * that every test copies, then Node's test runner. Arguments are path prefixes to run less, or
 * `--database` for what depends on the database server, to try another one.
 */

const COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/billfold-tests");

type Server = { readonly admin: ClientConfig; stop(): Promise<void> };

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
  return { admin, stop: async () => undefined };
}

const OF_THE_DATABASE = "--database";
const USES_THE_SERVER = /support\/(start-api|server)\.ts"/;

/** Promises about time hold or not whatever the server, and so does what a browser shows. */
function dependsOnDatabase(file: string): boolean {
  const text = readFileSync(file, "utf8");
  return !isAlone(file) && USES_THE_SERVER.test(text) && !text.includes("support/chromium.ts");
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

/** Promises about time are tried by themselves, with nobody beside them on the machine. */
const isAlone = (file: string): boolean => file.endsWith(".alone.test.ts");

async function runAll(files: readonly string[], server: TestServer): Promise<number> {
  const together = files.filter((file) => !isAlone(file));
  const alone = files.filter(isAlone);
  const first = together.length === 0 ? 0 : await runNode(together, server, 4);
  const second = alone.length === 0 || isInterrupted ? 0 : await runNode(alone, server, 1);
  return first || second;
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
      "--test-reporter=spec",
      `--test-concurrency=${concurrency}`,
      "--test-timeout=120000",
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
const url = process.env.DATABASE_URL;
const server = url === undefined || url === "" ? await ownServer() : givenServer(url);
const template = `billfold_template_${randomBytes(6).toString("hex")}`;
let code = 1;
try {
  await withAdmin(server.admin, (client) => client.query(`create database ${template}`));
  await prepareTemplate({ ...server.admin, database: template });
  code = await runAll(files, { admin: server.admin, template });
} finally {
  await withAdmin(server.admin, (client) => client.query(`drop database if exists ${template}`));
  await server.stop();
}
process.exit(code);
