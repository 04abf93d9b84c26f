import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import pg from "pg";
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "#kernel/db/embedded/embedded-postgres.ts";

const undoing = new WeakMap<TestContext, AsyncDisposableStack>();

/** Undoes in reverse order: a server stops before its folder goes. */
export function undoLater(t: TestContext, undo: () => unknown): void {
  let stack = undoing.get(t);
  if (stack === undefined) {
    const created = new AsyncDisposableStack();
    t.after(() => created.disposeAsync());
    undoing.set(t, created);
    stack = created;
  }
  stack.defer(async () => {
    await undo();
  });
}

export function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "billfold-test-"));
  undoLater(t, () => remove(folder));
  return folder;
}

/** One that every user may enter. */
export async function makeOpenFolder(t: TestContext): Promise<string> {
  const folder = await makeFolder(t);
  await chmod(folder, 0o755);
  return folder;
}

export async function start(
  t: TestContext,
  options: Partial<EmbeddedOptions> & { dataDir: string },
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ log: () => undefined, durable: false, ...options });
  undoLater(t, () => server.stop());
  return server;
}

export async function query(
  server: Pick<EmbeddedPostgres, "connection">,
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export function postmasterPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

// Everything is loaded before the uid changes: an ordinary user may not be able to read this checkout.
const CHILD_PROGRAM = `
  const { startEmbeddedPostgres } = await import(process.argv[1]);
  const { uid, sql, ...options } = JSON.parse(process.argv[2]);
  const pg = (await import(process.argv[3])).default;
  if (uid !== undefined) { process.setgroups([]); process.setgid(uid); process.setuid(uid); }
  const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
  try {
    const server = await startEmbeddedPostgres({ durable: false, ...options, log() {} });
    const client = new pg.Client(server.connection);
    client.on("error", () => {});
    await client.connect();
    if (sql) await client.query(sql);
    await client.end();
    const alive = setInterval(() => {}, 1000);
    process.on("SIGINT", () => {});
    process.once("SIGTERM", async () => { await server.stop(); clearInterval(alive); });
    say({ connection: server.connection, adopted: server.adopted });
  } catch (error) { say({ error: error.name, message: error.message }); }
`;

export type ChildAnswer = {
  connection: EmbeddedPostgres["connection"];
  adopted?: boolean;
  error?: string;
  message?: string;
};

export function spawnChild(t: TestContext, options: object): ChildProcess {
  const program = import.meta.resolve("#kernel/db/embedded/embedded-postgres.ts");
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      CHILD_PROGRAM,
      program,
      JSON.stringify(options),
      import.meta.resolve("pg"),
    ],
    { detached: true, stdio: ["ignore", "pipe", "inherit"] },
  );
  undoLater(t, () => child.kill("SIGKILL"));
  return child;
}

export async function answerOf(child: ChildProcess): Promise<ChildAnswer> {
  assert.ok(child.stdout !== null);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return JSON.parse(String(line));
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, "exit");
  child.kill(signal);
  const [code] = await exit;
  return code;
}
