import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { getCompileCacheDir } from "node:module";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { FileSet } from "#src/tenants/public.ts";
import { isYaml } from "./examination.files.ts";
import type { Examination } from "./examination.ts";
import { templateFinding } from "./template.findings.ts";

/**
 * Files of a tenant are strangers until they have been tried. The limits of the engine are
 * cooperative, and every one of its releases mends a hole in them: here a process with little memory
 * does the work, and is killed when it takes too long, whatever it is doing. A thread is not enough:
 * one that runs out of memory can take the whole process with it, or never end.
 */

/** Time of the processor, not of the wall: on a busy machine good templates must not fail. */
const BUDGET_MS = 1_000;
const WALL_MS_MAX = 20_000;
const LOOK_EVERY_MS = 50;
const MEMORY_MB_MAX = 96;
/** As many as there are checks at once: two short ones and a long one. */
const TRIALS_AT_ONCE_MAX = 3;
/** Whoever is being served comes first, and so does the database. */
const NICENESS = 5;
const SPARE_KEPT_MS = 5 * 60_000;

export type SandboxOptions = {
  readonly budgetMs?: number;
  readonly memoryMb?: number;
  /** A module that speaks as render-sandbox-worker.ts does. */
  readonly program?: URL;
};

let running = 0;
const waiting: (() => void)[] = [];

/** All that the texts of a set tell. Ends soon, whatever the files hold. */
export async function examineSafely(
  files: FileSet,
  options: SandboxOptions = {},
): Promise<Examination> {
  if (running >= TRIALS_AT_ONCE_MAX) {
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await examineApart(new Map([...files].filter(([path]) => isYaml(path))), options);
  } finally {
    const next = waiting.shift();
    // The place goes straight to whoever waits: nobody can slip in between.
    if (next === undefined) running -= 1;
    else next();
  }
}

type Helper = {
  readonly child: ChildProcess;
  /** False when it ends before it could begin. */
  readonly ready: Promise<boolean>;
};

function startHelper(options: SandboxOptions): Helper {
  const program = options.program ?? new URL("./render-sandbox-worker.ts", import.meta.url);
  const child = fork(fileURLToPath(program), {
    execArgv: [
      `--max-old-space-size=${options.memoryMb ?? MEMORY_MB_MAX}`,
      "--max-semi-space-size=8",
      "--disable-warning=ExperimentalWarning",
    ],
    // What the service has compiled already need not be compiled again.
    env: { NODE_COMPILE_CACHE: getCompileCacheDir() },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  standBack(child.pid);
  const ready = new Promise<boolean>((resolve) => {
    child.once("message", () => resolve(true));
    child.once("error", () => resolve(false));
    child.once("exit", () => resolve(false));
  });
  return { child, ready };
}

function standBack(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It is gone already, or the system does not let us.
  }
}

/**
 * A helper serves one set of files and is gone: what one tenant's files did to it must not be there
 * for the next. Loading our own code takes longer than the work, so the next one waits, ready.
 */
let spare: Helper | undefined;

function takeHelper(options: SandboxOptions): Helper {
  const isOrdinary = options.program === undefined && options.memoryMb === undefined;
  if (spare === undefined || !isOrdinary) return startHelper(options);
  const helper = spare;
  spare = undefined;
  helper.child.ref();
  helper.child.channel?.ref();
  return helper;
}

function prepareSpare(): void {
  if (spare !== undefined) return;
  const helper = startHelper({});
  spare = helper;
  const drop = () => {
    if (spare !== helper) return;
    spare = undefined;
    helper.child.kill("SIGKILL");
  };
  helper.child.once("exit", drop);
  helper.child.unref();
  helper.child.channel?.unref();
  setTimeout(drop, SPARE_KEPT_MS).unref();
}

async function examineApart(files: FileSet, options: SandboxOptions): Promise<Examination> {
  let helper = takeHelper(options);
  // One that ended before it began has not even seen the files: that says nothing about them.
  if (!(await helper.ready)) helper = startHelper(options);
  const { child, ready } = helper;
  const progress = { at: 0 };
  try {
    if (!(await ready)) return failure("render-failed", files, progress.at);
    const outcome = await outcomeOf(child, files, options.budgetMs ?? BUDGET_MS, progress);
    return typeof outcome === "string" ? failure(outcome, files, progress.at) : outcome;
  } finally {
    child.kill("SIGKILL");
    prepareSpare();
  }
}

type Failure = "too-slow" | "too-large" | "render-failed";

const SENTENCES: Readonly<Record<Failure, string>> = {
  "too-slow": "the templates take too long to read and to render",
  "too-large": "the templates need too much memory",
  "render-failed": "the templates cannot be rendered",
};

function failure(kind: Failure, files: FileSet, at: number): Examination {
  const file = [...files.keys()][at] ?? "tenant.yml";
  const findings = [templateFinding(kind, { file }, SENTENCES[kind])];
  return { findings, images: [], namesAllImages: false, stores: [] };
}

/** The index of the file it turns to, or all that it found. */
type Message = number | Examination;

async function outcomeOf(
  child: ChildProcess,
  files: FileSet,
  budgetMs: number,
  progress: { at: number },
): Promise<Examination | Failure> {
  const { promise, resolve } = Promise.withResolvers<Examination | Failure>();
  const last = setTimeout(() => resolve("too-slow"), WALL_MS_MAX);
  child.on("message", (message: Message) => {
    if (typeof message === "number") progress.at = message;
    else resolve(message);
  });
  child.on("error", () => resolve("render-failed"));
  child.on("exit", (code, signal) =>
    resolve(isOutOfMemory(code, signal) ? "too-large" : "render-failed"),
  );
  // The time of loading our own code is not theirs.
  const before = await processorMs(child.pid);
  child.send(new Map(files));
  const watch = setInterval(() => {
    void processorMs(child.pid).then((now) => {
      if (now - before > budgetMs) resolve("too-slow");
    });
  }, LOOK_EVERY_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(last);
    clearInterval(watch);
  }
}

/** V8 aborts; shells and Windows give that as a code. */
function isOutOfMemory(code: number | null, signal: string | null): boolean {
  return signal === "SIGABRT" || code === 134 || code === 0xc0000409;
}

const MS_PER_TICK = 10;
const WALL_PER_PROCESSOR = 3;

/** Of the process so far, or no number when it is gone; where the system does not tell, by the wall. */
async function processorMs(pid: number | undefined): Promise<number> {
  if (process.platform !== "linux") return performance.now() / WALL_PER_PROCESSOR;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
}
