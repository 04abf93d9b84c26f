import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FileQueue } from "./file-queue.ts";
import { kindOf } from "./test-files.ts";
import { RESULTS_VARIABLE } from "./test-results.ts";

/* The processes of a run: which files share them, and how Node's test runner starts them. */

export const COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/billfold-tests");
const addressOf = (file: string): string => pathToFileURL(join(import.meta.dirname, file)).href;
const TIME_LIMIT = addressOf("time-limit.ts");
const ASYNC_TRACKING = addressOf("async-tracking.ts");
const FILE_QUEUE = addressOf("file-queue.ts");
const REPORT = addressOf("report.ts");

/** `time-limit.ts` knows processes that share files by this name. */
const SHARED = "shared";
/** Of processes that share files, so many begin with the suite, and so many when others have ended. */
const SHARERS_OF_SERVER = { early: 2, late: 2 };
const SHARERS_WITHOUT = { early: 1, late: 1 };
/** Their products are further processes, so more of them at once would only wait for each other. */
const SHARERS_OF_PRODUCTS = { early: 2, late: 2 };
/** Two browsers at once slow each other down, so the second one only helps with what is left. */
const SHARERS_OF_BROWSER = { early: 1, late: 1 };
/** For fewer files, one more process would load the product for longer than it helps. */
const FILES_OF_A_SHARER_MIN = 5;

/** What one process runs. */
export type Program = { readonly name: string; readonly text: string };

/**
 * Loading the product takes longer than the tests of most files, so a few processes share them all; the
 * late ones help with what is left at the end. Files that start processes of the product mostly wait
 * for those, so they share processes with each other alone. Files without a database share no process with the
 * others: their tests see the product as it is, and not as the harness of a database sets it up.
 */
export async function shareProcesses(files: readonly string[], folder: string): Promise<Program[]> {
  await mkdir(folder);
  const { browser = [], server = [], plain = [], product = [] } = Object.groupBy(files, kindOf);
  const withBrowser = await sharersOf(browser, join(folder, "browser"), SHARERS_OF_BROWSER);
  const withServer = await sharersOf(server, join(folder, "server"), SHARERS_OF_SERVER);
  const without = await sharersOf(plain, join(folder, "plain"), SHARERS_WITHOUT);
  const withProducts = await sharersOf(product, join(folder, "product"), SHARERS_OF_PRODUCTS);
  const all = [withBrowser, withServer, without, withProducts];
  return [...all.flatMap(({ early }) => early), ...all.flatMap(({ late }) => late)];
}

/** A process for each file. */
export async function separateProcesses(
  files: readonly string[],
  folder: string,
): Promise<Program[]> {
  await mkdir(folder);
  const programs = files.map(async (file) => {
    const name = file.replaceAll(/[\\/]/g, ".").replace(/\.test\.ts$/, "");
    await mkdir(join(folder, name));
    return { name, text: textOf({ folder: join(folder, name), files: [file] }) };
  });
  return await Promise.all(programs);
}

type Sharers<Each> = { readonly early: Each; readonly late: Each };

async function sharersOf(
  files: readonly string[],
  folder: string,
  { early, late }: Sharers<number>,
): Promise<Sharers<Program[]>> {
  await mkdir(folder);
  const text = textOf({ folder, files: largestFirst(files) });
  const length = Math.min(Math.ceil(files.length / FILES_OF_A_SHARER_MIN), early + late);
  const programs = Array.from({ length }, () => ({ name: SHARED, text }));
  return { early: programs.slice(0, early), late: programs.slice(early) };
}

function textOf(queue: FileQueue): string {
  return `
    import { runQueue } from ${JSON.stringify(FILE_QUEUE)};
    runQueue(${JSON.stringify(queue)});
  `;
}

/** Large files take longer: begun first, nobody waits for one of them alone at the end. */
function largestFirst(files: readonly string[]): string[] {
  const bytesOf = new Map(files.map((file) => [file, statSync(file).size]));
  return [...files].sort((left, right) => (bytesOf.get(right) ?? 0) - (bytesOf.get(left) ?? 0));
}

export type Group = {
  /** For what the group needs on disk; created here. */
  readonly folder: string;
  readonly programs: readonly Program[];
  readonly atOnce: number;
  readonly timeoutMs: number;
  readonly env: NodeJS.ProcessEnv;
  /** Where the results of the run are collected. */
  readonly resultsPath: string;
  /** Where the output goes instead of the screen. */
  readonly outputPath?: string;
};

/** Gives what Node's test runner ended with: 0, another code or a signal. */
export async function runGroup(group: Group, signal: AbortSignal): Promise<number | string> {
  const { folder, programs, atOnce, timeoutMs, env, resultsPath, outputPath } = group;
  await mkdir(folder);
  const reporters = [
    ["spec", outputPath ?? "stdout"],
    [REPORT, outputPath === undefined ? "stdout" : join(folder, "report.txt")],
  ];
  const child = spawn(
    process.execPath,
    [
      "--test",
      ...reporters.flatMap(([reporter, destination]) => [
        `--test-reporter=${reporter}`,
        `--test-reporter-destination=${destination}`,
      ]),
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${timeoutMs}`,
      `--import=${TIME_LIMIT}`,
      `--import=${ASYNC_TRACKING}`,
      ...(await writePrograms(programs, folder)),
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        ...env,
        BILLFOLD_TEST_USE: join(folder, "use.jsonl"),
        [RESULTS_VARIABLE]: resultsPath,
        // Without this, each process would compile the whole product again.
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        // There are none: looking for them takes a sixth of the time of loading the product. Threads
        // inherit it only in this way.
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --preserve-symlinks`,
      },
    },
  );
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const end = await new Promise<number | string>((resolve) =>
    child.on("exit", (code, by) => resolve(code ?? by ?? 1)),
  );
  signal.removeEventListener("abort", stop);
  return end;
}

/** The runner sorts what it is given by name, so the names begin with the place in our order. */
async function writePrograms(programs: readonly Program[], folder: string): Promise<string[]> {
  const writing = programs.map(async ({ name, text }, at) => {
    const path = join(folder, `${String(at).padStart(3, "0")}-${name}.test.mjs`);
    await writeFile(path, text);
    return path;
  });
  return await Promise.all(writing);
}
