import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Cluster, clusterPathForServer, SERVER_ENVIRONMENT } from "./embedded-cluster.ts";
import { readLogTail } from "./embedded-log.ts";
import { giveTo, ignoreMissing } from "./embedded-owner.ts";
import type { ServerSettings } from "./embedded-settings.ts";

const run = promisify(execFile);
const POLL_MS = 10;
const WATCH_MS = 250;
const EMPTY_FILE_GRACE_MS = 500;
const STOP_STEPS: readonly (readonly [signal: "INT" | "QUIT" | "KILL", waitMs: number])[] = [
  ["INT", 20_000], // Fast shutdown: ends sessions, writes a checkpoint.
  ["QUIT", 3_000], // Immediate: nothing committed is lost, the next start replays the log.
  ["KILL", 2_000],
];

export type Postmaster = {
  readonly pid: number;
  isRunning(): boolean;
  /** Settles when the process has gone; waiting does not keep our own process alive. */
  whenGone(): Promise<void>;
};

/** What a running server writes about itself in `postmaster.pid`. */
export type PostmasterFile = {
  readonly pid: number;
  readonly port: number;
  readonly socketSetting: string;
  readonly status: string;
};

export async function readPostmasterFile(clusterDir: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(clusterDir, "postmaster.pid"), "utf8").catch(ignoreMissing);
  const lines = text?.split("\n").map((line) => line.trim()) ?? [];
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  const [port, socketSetting, status] = [Number(lines[3]), lines[4] ?? "", lines[7] ?? ""];
  return { pid, port, socketSetting, status };
}

/** Finds the server of this cluster that a killed process left behind, if it still runs. */
export async function findPostmaster(
  cluster: Cluster,
  clusterMark: string,
): Promise<Postmaster | undefined> {
  const file = await readPostmasterFile(cluster.dir);
  if (file === undefined) return undefined;
  if (!(await carriesMark(file.pid, clusterMark))) return undefined;
  const isRunning = () => isAlive(file.pid, clusterMark);
  return { pid: file.pid, isRunning, whenGone: () => watchUntilGone(isRunning) };
}

/**
 * Starts the server in a session of its own, so that Ctrl-C in the terminal reaches only this
 * program.
 */
export async function spawnPostmaster(
  cluster: Cluster,
  settings: ServerSettings,
  logFile: string,
): Promise<Postmaster> {
  await disownStaleFile(cluster);
  await using log = await open(logFile, "a", 0o600);
  const child = spawn(
    cluster.binaries.postgres,
    ["-D", clusterPathForServer(cluster), ...settings.args],
    {
      ...cluster.user,
      cwd: cluster.dir,
      env: SERVER_ENVIRONMENT,
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["ignore", log.fd, log.fd],
    },
  );
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  return {
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    whenGone: () => gone,
  };
}

/**
 * Writes our own pid into a `postmaster.pid` that a dead server left behind. PostgreSQL takes such
 * a file for a live server when any process has that pid now, but never when the pid is that of its
 * parent process. The file is not removed, because PostgreSQL uses it to check that no orphan
 * process of the old server still uses the data.
 */
async function disownStaleFile(cluster: Cluster): Promise<void> {
  const path = join(cluster.dir, "postmaster.pid");
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  if (text === undefined) return;
  const pid = Number.parseInt(text, 10);
  if (Number.isNaN(pid)) {
    // The file is empty: either a server is writing it just now, or a full disk prevented the
    // writing.
    await sleep(EMPTY_FILE_GRACE_MS);
    if ((await readPostmasterFile(cluster.dir)) === undefined) await rm(path, { force: true });
    return;
  }
  if (!processExists(pid)) return;
  if (process.platform === "win32") {
    await rm(path, { force: true });
    return;
  }
  await writeFile(`${path}.new`, text.replace(/^\s*\d+/, String(process.pid)), { mode: 0o600 });
  await giveTo(`${path}.new`, cluster.user);
  await rename(`${path}.new`, path);
}

export class ServerDidNotStart extends Error {
  override readonly name = "ServerDidNotStart";
}

/** Waits until the server accepts connections; recovery after a crash may take minutes. */
export async function waitUntilReady(
  cluster: Cluster,
  postmaster: Postmaster,
  limits: { timeoutMs: number; signal: AbortSignal; logFile: string; logFrom: number },
): Promise<void> {
  const deadline = Date.now() + limits.timeoutMs;
  for (;;) {
    limits.signal.throwIfAborted();
    const file = await readPostmasterFile(cluster.dir);
    if (file?.pid === postmaster.pid && file.status === "ready") return;
    const running = postmaster.isRunning();
    if (running && Date.now() < deadline) {
      await sleep(POLL_MS);
      continue;
    }
    const happened = running ? `is not ready after ${limits.timeoutMs / 1_000} s` : "ended";
    const said = await readLogTail(limits.logFile, limits.logFrom).catch(() => "");
    throw new ServerDidNotStart(`The embedded PostgreSQL ${happened} at its start.\n${said}`);
  }
}

/** Stops the server and waits for its end; sends a stronger signal each time a wait was in vain. */
export async function stopPostmaster(cluster: Cluster, postmaster: Postmaster): Promise<void> {
  for (const [signal, waitMs] of STOP_STEPS) {
    if (!postmaster.isRunning()) return;
    await sendSignal(cluster, postmaster.pid, signal);
    const deadline = Date.now() + waitMs;
    while (postmaster.isRunning() && Date.now() < deadline) await sleep(POLL_MS);
  }
  if (postmaster.isRunning()) {
    throw new Error(`The embedded PostgreSQL (pid ${postmaster.pid}) cannot be stopped.`);
  }
}

async function sendSignal(cluster: Cluster, pid: number, signal: "INT" | "QUIT" | "KILL") {
  if (process.platform === "win32") {
    // On Windows, Node can only terminate a process; pg_ctl uses the server's own signal pipe.
    await run(cluster.binaries.pgCtl, ["kill", signal, String(pid)], { windowsHide: true });
    return;
  }
  try {
    process.kill(pid, `SIG${signal}`);
  } catch (error) {
    if (processExists(pid)) throw error;
  }
}

/** Whether the process is the server of this cluster, and not another program with the same pid. */
async function carriesMark(pid: number, mark: string): Promise<boolean> {
  if (process.platform === "darwin") {
    const shown = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => null);
    return shown?.stdout.includes(mark) === true;
  }
  return isAlive(pid, mark);
}

function isAlive(pid: number, mark: string): boolean {
  if (process.platform !== "linux") return processExists(pid);
  // The command line of a zombie is empty, and any user may read a command line. A check of
  // /proc/<pid>/cwd would need CAP_SYS_PTRACE, which root in a container does not have.
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
  } catch {
    return false;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function watchUntilGone(isRunning: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isRunning()) return;
      clearInterval(timer);
      resolve();
    }, WATCH_MS).unref();
  });
}
