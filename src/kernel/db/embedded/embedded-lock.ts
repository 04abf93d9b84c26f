import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const SQLITE_BUSY = 5;
const PID_GRACE_MS = 1_000;
const PID_LOOK_MS = 20;

export class DataDirectoryInUse extends Error {
  override readonly name = "DataDirectoryInUse";
  readonly directory: string;
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined) {
    const holder = pid === undefined ? "another process" : `another process (pid ${pid})`;
    super(
      `The data directory ${directory} is in use by ${holder}. ` +
        "Stop it, or use another DATA_DIR, or share one database with DATABASE_URL.",
    );
    this.directory = directory;
    this.pid = pid;
  }
}

export type DataDirectoryLock = { release(): void };

// A garbage-collected DatabaseSync closes its file and loses the lock, so a reference is kept here.
const held = new Set<DatabaseSync>();

/**
 * Locks the data directory for this process, or throws `DataDirectoryInUse`.
 *
 * Node has no flock, so the lock is that of an SQLite file, which works on every platform. The
 * operating system owns the lock: it ends when the process ends, for whatever reason, it does not
 * depend on pids, and it works between containers that share a volume (an abstract socket would
 * not). The pid file is used only for the error message.
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  const pidFile = join(dataDir, "billfold.pid");
  const file = openLockFile(dataDir);
  try {
    file.exec("begin exclusive");
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw error;
    throw new DataDirectoryInUse(dataDir, await findPid(pidFile));
  }
  held.add(file);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      if (!held.delete(file)) return;
      rmSync(pidFile, { force: true });
      file.close();
    },
  };
}

function openLockFile(dataDir: string): DatabaseSync {
  try {
    return new DatabaseSync(join(dataDir, "billfold.lock"));
  } catch (cause) {
    throw new Error(`The data directory ${dataDir} cannot be written by this user.`, { cause });
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}

/** When two processes start at once, the winner may not have written its pid yet. */
async function findPid(pidFile: string): Promise<number | undefined> {
  const latest = performance.now() + PID_GRACE_MS;
  while (readPid(pidFile) === undefined && performance.now() < latest) await sleep(PID_LOOK_MS);
  return readPid(pidFile);
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}
