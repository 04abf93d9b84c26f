import { AsyncResource } from "node:async_hooks";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beginTracking, register } from "./async-tracking.ts";
import { noteUse, noteUseAtEnd } from "./processor-use.ts";
import { QUEUE_TITLE } from "./report.ts";
import { runSeed } from "./run-seed.ts";
import { recordExit, recordStrayErrors, runTaken } from "./test-results.ts";
import { endSoon } from "./time-limit.ts";

/*
 * Every process of a run has a queue of files. Loading the product takes longer than the tests of most files, so a
 * few processes share a queue of hundreds: each takes the next file that nobody has taken, until none is left.
 */

export type FileQueue = {
  /** Of this run: whoever makes the folder that is named after a file has taken the file. */
  readonly folder: string;
  readonly files: readonly string[];
};

/** Less than a process has in all, so that a file that hangs is named. */
const FILE_MS_MAX = 590_000;

export function runQueue({ folder, files }: FileQueue): void {
  noteUseAtEnd(QUEUE_TITLE);
  recordStrayErrors();
  fc.configureGlobal({ seed: runSeed() });
  it(QUEUE_TITLE, async () => {
    // The suites of files belong to this test, also when the runner has stopped following it.
    const resource = new AsyncResource("FileQueue");
    for (const [at, file] of files.entries()) {
      if (!take(join(folder, `taken-${at}`))) continue;
      beginTracking();
      await resource.runInAsyncScope(() => runTaken(file, () => runFile(file)));
    }
    recordExit();
    endSoon();
  });
}

/**
 * What a file registers while it is loaded belongs to its suite, so its hooks run, and its servers
 * end, before the next file is loaded.
 */
async function runFile(file: string): Promise<void> {
  const { href } = pathToFileURL(resolve(file));
  await describe(file, { timeout: FILE_MS_MAX }, () => register(() => import(href)));
  noteUse(file);
}

function take(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
