import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { BUILDS, hashSources, markSources } from "../../console/build/sources.ts";

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, "../../console/build/build.ts");
const BUILD_MS_MAX = 180_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;

/** The hash of the sources as they are now, which names their build. */
export const findVersion = (): Promise<string> => hashSources();

/** As long as this stays the same, so does the version. */
export const findMark = (): Promise<string> => markSources();

/**
 * The folder of a build. `npm ci` usually made it. If not, a process of its own makes it now, so
 * that the event loop and the memory of this one are not concerned.
 */
export async function findBuild(version: string, signal: AbortSignal): Promise<string> {
  const folder = join(BUILDS, version);
  if (isBuilt(folder)) return folder;
  try {
    await runBuild(BUILDS, signal);
    if (isBuilt(folder)) return folder;
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  // The product may belong to another user than the one who runs it.
  const own = await mkdtemp(join(tmpdir(), "billfold-console-"));
  await runBuild(own, signal);
  return join(own, version);
}

const isBuilt = (folder: string): boolean => existsSync(join(folder, "index.html"));

const isReadOnly = (error: unknown): boolean => /\b(EACCES|EROFS|EPERM)\b/.test(String(error));

async function runBuild(builds: string, signal: AbortSignal): Promise<void> {
  await run(process.execPath, [PROGRAM, builds], {
    signal,
    timeout: BUILD_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
}
