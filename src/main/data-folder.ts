import { access, constants, mkdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { messageOf } from "#kernel/errors.ts";
import type { Log } from "#kernel/log.ts";
import type { Config } from "./config.ts";

/** Creates the folder `DATA_DIR` if this process will keep files in it, or throws the reason. */
export async function makeDataFolder(config: Config): Promise<void> {
  if (!keepsFiles(config)) return;
  const path = resolve(config.dataDir);
  try {
    await makeFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(await explain(error as NodeJS.ErrnoException, path), { cause: error });
  }
}

/**
 * Creates the folder for large bodies. It is beside the data, because the system's temporary folder
 * is often in memory; if this process cannot write there, the system's folder is used.
 */
export async function makeUploadFolder({ dataDir }: Config, log: Log): Promise<string> {
  const path = resolve(dataDir, "tmp");
  try {
    await makeFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "large bodies wait in the system's temporary folder");
    return tmpdir();
  }
}

function keepsFiles({ databaseUrl, masterKeys, operatorKey }: Config): boolean {
  return databaseUrl === undefined || masterKeys.length === 0 || operatorKey === undefined;
}

/**
 * Creates folders one by one: where no folder can be created (`/proc`), Node's recursive mkdir
 * never ends.
 */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process has created the folder meanwhile.
    if (!(await isFolder(path))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function explain({ code, message }: NodeJS.ErrnoException, path: string): Promise<string> {
  const reason = `DATA_DIR cannot be ${path}`;
  const otherwise = "or set DATA_DIR to another folder.";
  switch (code) {
    case "EEXIST":
    case "ENOTDIR":
      return `${reason}: there is a file in its place. Move that file away, ${otherwise}`;
    case "EACCES":
    case "EPERM":
      return `${reason}: ${whoseItIs()} may not write there. Give the folder to that user, ${otherwise}`;
    case "EROFS":
      return `${reason}: that disk is read-only. Mount it for writing, ${otherwise}`;
    case "ENOSPC":
      return `${reason}: that disk is full. Free some space, ${otherwise}`;
    case "ENAMETOOLONG":
      return `${reason}: that path is too long. Set DATA_DIR to a shorter one.`;
    default:
      return `${reason}: ${message}. Set DATA_DIR to another folder.`;
  }
}

function whoseItIs(): string {
  const uid = process.getuid?.();
  return uid === undefined ? "this user" : `this user (uid ${uid})`;
}
