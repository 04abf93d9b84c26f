import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type ApiClient, createClient } from "./client.ts";
import { PROGRAM } from "./program.ts";

const READY_TIMEOUT_MS = 180_000;
const READY_POLL_MS = 15;
const CHILD_TIMEOUT_MS = 180_000;

export const PRODUCT_OPERATOR_KEY = "operator-key-of-a-real-process-0123456789";

export type Launch = {
  readonly env: Readonly<Record<string, string>>;
  /** Another Node, or a shell that lowers limits first; the program and its words follow. */
  readonly command?: readonly [string, ...string[]];
  readonly words?: readonly string[];
  /** What `programIn` gives for a copy of the repository. */
  readonly program?: readonly string[];
};

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Product = ApiClient & {
  readonly pid: number;
  /** From the start of the process to the end of its own start. */
  readonly startedInMs: number;
  /** Everything it wrote, to either stream. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<Exit>;
  /** To the whole process group, as a terminal does on Ctrl-C. */
  killGroup(signal: NodeJS.Signals): Promise<Exit>;
  readonly exit: Promise<Exit>;
};

/** The program as people start it: nothing of our own environment but the path reaches it. */
function launch({
  env,
  command = [process.execPath],
  words = ["start"],
  program = PROGRAM,
}: Launch) {
  const [file, ...before] = command;
  const child = spawn(file, [...before, ...program, ...words], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "",
      // Products of other test files run at the same time: each has a port of its own.
      SFTP_PORT: "0",
      // There are none: looking for them takes a sixth of the time of a start.
      NODE_OPTIONS: "--preserve-symlinks",
      ...env,
    },
  });
  const written: { stdout: string; stderr: string } = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    written.stderr += chunk;
  });
  return { child, written };
}

/** Starts the product and waits until it says that it runs; throws when it ends before. */
export async function startProduct(options: Launch): Promise<Product> {
  const port = Number(options.env.PORT ?? (await freePort()));
  // Not one that the system chooses: between the product's first look and its start to listen, a
  // connection could take that.
  const sftpPort = await freePort();
  const startedAt = performance.now();
  const { child, written } = launch({
    ...options,
    env: {
      PORT: String(port),
      SFTP_PORT: String(sftpPort),
      OPERATOR_KEY: PRODUCT_OPERATOR_KEY,
      DEMO: "0",
      ...options.env,
    },
  });
  const output = () => written.stdout + written.stderr;
  const exit = exitOf(child);
  const client = createClient(`http://127.0.0.1:${port}`);
  const hasApi = options.env.ROLES?.includes("api") ?? true;
  try {
    await waitUntilReady(child, async () => {
      if (!output().includes("is running")) return false;
      return !hasApi || (await client.get("/api/warmup")).status === 200;
    });
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`The product did not start.\n${output()}`, { cause: error });
  }
  const pid = child.pid ?? 0;
  return {
    ...client,
    pid,
    startedInMs: performance.now() - startedAt,
    output,
    exit,
    kill(signal) {
      child.kill(signal);
      return exit;
    },
    killGroup(signal) {
      process.kill(-pid, signal);
      return exit;
    },
  };
}

/** Runs the program to its end, for starts that must fail. */
export async function runProduct(
  options: Launch,
): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
  const { child, written } = launch(options);
  const timer = setTimeout(() => child.kill("SIGKILL"), CHILD_TIMEOUT_MS);
  try {
    return { ...(await exitOf(child)), ...written };
  } finally {
    clearTimeout(timer);
  }
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = await once(child, "close");
  return { code, signal };
}

async function waitUntilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("It ended.");
    if (await isReady()) return;
    await sleep(READY_POLL_MS);
  }
  throw new Error("It did not answer in time.");
}

/** Below the ports that systems give to connections: one of those could take the port meanwhile. */
const PORTS_FROM = 15_000;
const PORTS_TO = 32_000;

/** Processes that run at once have numbers near each other: so many ports lie between theirs. */
const PORTS_OF_PROCESS = 100;
let portsGiven = 0;

/** Between this look and the start of the product, another process must not choose the same port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const place = process.pid * PORTS_OF_PROCESS + portsGiven;
    portsGiven += 1;
    const port = PORTS_FROM + (place % (PORTS_TO - PORTS_FROM));
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

export async function makeDataDir(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "billfold-product-"));
}

/** Also ends the database server that a killed product left behind. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const pid = findPostmaster(dataDir);
  if (pid !== undefined) {
    signalQuietly(pid, "SIGQUIT");
    await waitUntilGone(pid);
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The process id of the product's own database server, while it runs. */
export function findPostmaster(dataDir: string): number | undefined {
  try {
    const text = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8");
    const pid = Number.parseInt(text, 10);
    return pid > 0 && isRunning(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export async function waitUntilGone(pid: number): Promise<void> {
  const deadline = Date.now() + CHILD_TIMEOUT_MS;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`Process ${pid} does not end.`);
    await sleep(10);
  }
}

/** Of a process whose parent was killed nobody may collect the remains: a zombie has ended too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || readFileSync(`/proc/${pid}/cmdline`).length > 0;
  } catch {
    return false;
  }
}

export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It was faster.
  }
}

/** For a product that uses this database; without one it makes its own, which takes longer. */
export function envOf(databaseUrl: string | undefined): Readonly<Record<string, string>> {
  return databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
}

/** Looks at the product's own database with the rights of its owner, across all tenants. */
export async function withProductDatabase<Result>(
  { dataDir, databaseUrl }: { dataDir: string; databaseUrl?: string | undefined },
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const own = () => ({
    host: join(dataDir, "postgres"),
    port: 5432,
    user: "billfold",
    database: "billfold",
    password: readFileSync(join(dataDir, "postgres.password"), "utf8").trim(),
  });
  const client = new pg.Client(
    databaseUrl === undefined ? own() : { connectionString: databaseUrl },
  );
  await client.connect();
  try {
    await client.query("set app.tenant = '*'");
    return await work(client);
  } finally {
    await client.end();
  }
}
