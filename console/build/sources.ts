import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

const CONSOLE = join(import.meta.dirname, "..");
const ROOT = join(CONSOLE, "..");
const HASH_CHARS = 16;

/** Builds stand in folders that are named after the hash of their sources. */
export const BUILDS = join(CONSOLE, "dist");

/** What the built files follow from. The lock file stands for the versions of all packages. */
const SINGLE_FILES = ["console/index.html", "console/vite.config.ts", "package-lock.json"];
const FOLDERS = ["console/src", "console/build"];

async function listSources(root: string): Promise<string[]> {
  const paths = [...SINGLE_FILES];
  for (const folder of FOLDERS) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile()) paths.push(relative(root, join(entry.parentPath, entry.name)));
    }
  }
  return paths.sort();
}

/**
 * Differs whenever a source was written, added or removed. It reads no file, so it takes a sixth of the
 * time of the hash.
 */
export async function markSources(root = ROOT): Promise<string> {
  const marks = (await listSources(root)).map(
    async (path) => `${path} ${await markSource(join(root, path))}`,
  );
  return (await Promise.all(marks)).join("\n");
}

/** A source may vanish after it was listed: editors write another file and rename it. */
async function markSource(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size } = await stat(path);
    return `${mtimeMs} ${ctimeMs} ${size}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "gone";
    throw error;
  }
}

/** The name of the build that belongs to the sources as they are now. Fails if one vanishes meanwhile. */
export async function hashSources(root = ROOT): Promise<string> {
  const hash = createHash("sha256");
  for (const path of await listSources(root)) {
    hash.update(`${path.replaceAll("\\", "/")}\0`).update(await readFile(join(root, path)));
  }
  return hash.digest("hex").slice(0, HASH_CHARS);
}
