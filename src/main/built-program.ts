import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * The product runs from its sources, and faster from a few files that are built of them: loading one
 * large file takes a third of the time of loading three thousand small ones. `scripts/build-program.ts`
 * builds them; docs/adr/0016 says why.
 */

const ROOT = join(import.meta.dirname, "../..");

/** When a source was last written, and its number of bytes. */
export type Mark = readonly [mtimeMs: number, sizeBytes: number];

/** What all modules of a build follow from, beside themselves: its rules, and the versions of packages. */
const RULES = [
  "package-lock.json",
  "package.json",
  "scripts/build-program.ts",
  "src/main/built-program.ts",
  "tsconfig.json",
];

/** The newest build, and what it was built of. */
export type Manifest = {
  /** The folder of the build in `dist`. */
  readonly folder: string;
  /** The files of the build and their numbers of bytes: of a build that lost one, no start can use the rest. */
  readonly files: Readonly<Record<string, number>>;
  /** The hash of the rules. */
  readonly rules: string;
  /** The modules of the product and the folders of packages, by their paths from the root. */
  readonly sources: Readonly<Record<string, Mark>>;
};

export const buildsOf = (root: string): string => join(root, "dist");
export const manifestOf = (root: string): string => join(buildsOf(root), "program.json");
/** The file of a build to begin with, named after the source that it was built of. */
export const ENTRY = "command-line.js";

/** By their contents: `npm prune` writes the lock again as it was. */
export function hashRules(root: string): string {
  const hash = createHash("sha256");
  for (const path of RULES) {
    const file = join(root, path);
    hash.update(existsSync(file) ? readFileSync(file) : "none");
  }
  return hash.digest("hex");
}

/**
 * The address of the built program; undefined if there is none, if it is damaged, if a source has changed since, or
 * if this user may not read what that depends on.
 */
export function findProgram(root = ROOT): string | undefined {
  const manifest = readManifest(root);
  try {
    if (manifest === undefined || manifest.rules !== hashRules(root)) return;
    return isFresh(root, manifest) && isWhole(root, manifest)
      ? addressOf(root, manifest)
      : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    return;
  }
}

function isFresh(root: string, { sources }: Manifest): boolean {
  return Object.entries(sources).every(([path, [mtimeMs, sizeBytes]]) => {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    return found?.mtimeMs === mtimeMs && found.size === sizeBytes;
  });
}

function isWhole(root: string, { folder, files }: Manifest): boolean {
  return Object.entries(files).every(([name, sizeBytes]) => {
    const found = statSync(join(buildsOf(root), folder, name), { throwIfNoEntry: false });
    return found?.size === sizeBytes;
  });
}

const addressOf = (root: string, { folder }: Manifest): string =>
  pathToFileURL(join(buildsOf(root), folder, ENTRY)).href;

/** Undefined if nothing was built, or by a version that described its builds in another way. */
export function readManifest(root: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(manifestOf(root), "utf8")) as Manifest;
    const marks = Object.values(manifest.sources);
    const isComplete = typeof manifest.folder === "string" && ENTRY in manifest.files;
    return isComplete && marks.length > 0 && marks.every(Array.isArray) ? manifest : undefined;
  } catch {
    return;
  }
}
