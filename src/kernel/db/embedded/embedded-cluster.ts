import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "./embedded-binaries.ts";
import { giveTo, ignoreMissing, type ServerUser } from "./embedded-owner.ts";

const run = promisify(execFile);
const INIT_PREFIX = "postgres.init-";
const INIT_TIMEOUT_MS = 120_000;

export const SUPERUSER = "postgres";

/** Programs of PostgreSQL see nothing of our environment: no PG* variables, no secrets. */
export const SERVER_ENVIRONMENT = { LC_ALL: "C", TZ: "UTC" };

export type Cluster = {
  readonly dir: string;
  readonly user: ServerUser | undefined;
  readonly binaries: Binaries;
};

/**
 * Returns the path by which a program started inside the cluster's folder names that folder.
 *
 * Under root, the server runs as another user, who often may not enter the parent folders (root in
 * a 0700 home, a 0700 DATA_DIR). The program starts inside the folder nevertheless: the folder is
 * entered before root's rights are given up, and Linux resolves /proc/self/cwd without checking the
 * parent folders. So the data can stay where DATA_DIR says.
 */
export function clusterPathForServer(cluster: Cluster): string {
  return cluster.user !== undefined && process.platform === "linux"
    ? "/proc/self/cwd"
    : cluster.dir;
}

/**
 * Reads the password of the database. Creates the password before the cluster, because initdb needs
 * it.
 */
export async function loadPassword(dataDir: string, clusterDir: string): Promise<string> {
  const path = join(dataDir, "postgres.password");
  const known = await readFile(path, "utf8").catch(ignoreMissing);
  if (known !== undefined && known.trim() !== "") return known.trim();
  if (await clusterExists(clusterDir)) {
    throw new Error(`The password of the database in ${clusterDir} is missing: restore ${path}.`);
  }

  const password = randomBytes(24).toString("base64url");
  await writeDurably(`${path}.new`, `${password}\n`);
  await rename(`${path}.new`, path);
  return password;
}

/** Creates the cluster if there is none, and refuses a cluster of another major version. */
export async function ensureCluster(
  cluster: Cluster,
  dataDir: string,
  password: string,
  durable: boolean,
): Promise<void> {
  await removeUnfinished(dataDir);
  if (!(await clusterExists(cluster.dir))) {
    await initialise(cluster, dataDir, password, durable);
    return;
  }
  const found = (await readFile(join(cluster.dir, "PG_VERSION"), "utf8")).trim();
  const wanted = cluster.binaries.version.split(".")[0];
  if (found !== wanted) {
    throw new Error(
      `The database in ${cluster.dir} was made by PostgreSQL ${found}; this program brings ` +
        `PostgreSQL ${wanted}. Move the data with pg_dump, or use another DATA_DIR.`,
    );
  }
}

async function clusterExists(clusterDir: string): Promise<boolean> {
  const names = await readdir(clusterDir).catch(ignoreMissing);
  if (names === undefined || names.length === 0) return false;
  if (names.includes("PG_VERSION")) return true;
  throw new Error(`${clusterDir} holds files but no database: empty it or use another DATA_DIR.`);
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(INIT_PREFIX)) continue;
    // The retries are for an initdb that outlived its killed parent and may still write here.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Works in a temporary folder and renames it at the end: a kill at any moment leaves either a whole
 * cluster or none.
 */
async function initialise(
  cluster: Cluster,
  dataDir: string,
  password: string,
  durable: boolean,
): Promise<void> {
  const workDir = await mkdtemp(join(dataDir, INIT_PREFIX));
  try {
    const newDir = join(workDir, "cluster");
    const passwordFile = join(workDir, "password");
    await mkdir(newDir, { mode: 0o700 });
    await writeDurably(passwordFile, password);
    for (const path of [workDir, newDir, passwordFile]) await giveTo(path, cluster.user);

    const target = clusterPathForServer({ ...cluster, dir: newDir });
    await run(cluster.binaries.initdb, [`--pgdata=${target}`, ...initOptions(durable)], {
      ...cluster.user,
      cwd: newDir,
      env: SERVER_ENVIRONMENT,
      timeout: INIT_TIMEOUT_MS,
      windowsHide: true,
    }).catch((error: Error) => explainInitFailure(cluster, error));
    await rename(newDir, cluster.dir);
    if (durable) await syncDirectory(dataDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

function explainInitFailure(cluster: Cluster, cause: Error): never {
  const { message } = cause;
  const uid = cluster.user?.uid ?? process.getuid?.();
  let reason = message;
  if (message.includes("could not look up effective user ID")) {
    reason =
      `uid ${uid} has no entry in /etc/passwd, which PostgreSQL needs. Add one, run as another ` +
      "user, or set DATABASE_URL to use another server.";
  } else if (message.includes("No space left on device")) {
    reason = "its disk is full. Free some space, or use another DATA_DIR.";
  }
  throw new Error(`The embedded database cannot be made in ${cluster.dir}: ${reason}`, { cause });
}

function initOptions(durable: boolean): string[] {
  return [
    `--username=${SUPERUSER}`,
    // A relative path, for the same reason as in clusterPathForServer.
    "--pwfile=../password",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // The built-in provider sorts in the same way on every machine, whatever its C library.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--no-instructions",
    ...(durable ? [] : ["--no-sync"]),
  ];
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "w", 0o600);
  await chmod(path, 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return; // Windows cannot open a folder to sync it.
  await using directory = await open(path, "r");
  await directory.sync();
}
