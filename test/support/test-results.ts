import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/*
 * What a run of the suite knows about its files. The reporter and the processes of the tests append lines to one
 * file for each group of processes, which `run-outcome.ts` reads at the end.
 */

export type ResultLine =
  /** The process began to run the file. */
  | { readonly kind: "taken"; readonly process: string; readonly file: string }
  /** The file ran to its end. */
  | {
      readonly kind: "finished";
      readonly file: string;
      readonly isGreen: boolean;
      readonly tests: number;
    }
  /** Why the file failed, or more about it. */
  | { readonly kind: "note"; readonly file: string; readonly text: string }
  /** The process had an error that belongs to no test, while it ran this file. */
  | {
      readonly kind: "stray-error";
      readonly process: string;
      readonly file: string;
      /** The file whose code the error came from, if that is known. */
      readonly origin: string | undefined;
      readonly text: string;
    }
  /** The process failed, and not because a test did. */
  | { readonly kind: "process-failure"; readonly process: string; readonly text: string }
  /** The process did not end after its last test, as when a test failed before it closed its server. */
  | { readonly kind: "late-end"; readonly process: string; readonly text: string }
  /** The process ran all its files, and then ended by itself with this code. */
  | { readonly kind: "exit"; readonly process: string; readonly code: number };

/** The variable of the environment that holds the path. */
export const RESULTS_VARIABLE = "BILLFOLD_TEST_RESULTS";
const TEXT_LENGTH_MAX = 4_000;
const STRAY_ERRORS_MAX = 20;

export function appendResult(line: ResultLine): void {
  const path = process.env[RESULTS_VARIABLE];
  if (path === undefined) return;
  const kept = "text" in line ? { ...line, text: line.text.slice(0, TEXT_LENGTH_MAX) } : line;
  appendFileSync(path, `${JSON.stringify(kept)}\n`);
}

export function readResults(path: string): ResultLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map(readResult);
}

/** A process that is killed while it writes leaves half a line, which no file explains. */
function readResult(line: string): ResultLine {
  try {
    return JSON.parse(line) as ResultLine;
  } catch {
    return { kind: "process-failure", process: "unknown", text: `Half a result: ${line}` };
  }
}

/** The name of a process by the path of its program. */
export const processName = (path: string): string => basename(path);

const thisProcess = processName(process.argv[1] ?? "");
let currentFile: string | undefined;
const originOfWork = new AsyncLocalStorage<string>();

/** Runs a file. What it leaves behind is still known as its work when another file runs. */
export async function runTaken(file: string, run: () => Promise<void>): Promise<void> {
  currentFile = file;
  appendResult({ kind: "taken", process: thisProcess, file });
  await originOfWork.run(file, run);
}

/** For tests, which know more than their error says. */
export function addNote(text: string): void {
  if (currentFile !== undefined) appendResult({ kind: "note", file: currentFile, text });
}

/** For a process that ends itself because something in it still runs. */
export function addLateEnd(text: string): void {
  appendResult({ kind: "late-end", process: thisProcess, text });
}

/** From here on, errors that nobody caught are recorded with the file that runs. */
export function recordStrayErrors(): void {
  let count = 0;
  const record = (error: unknown) => {
    // With a listener for rejections, Node would end the process with code 0.
    process.exitCode ||= 1;
    count += 1;
    if (currentFile === undefined || count > STRAY_ERRORS_MAX) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const origin = originOfWork.getStore();
    appendResult({ kind: "stray-error", process: thisProcess, file: currentFile, origin, text });
  };
  process.on("uncaughtExceptionMonitor", record);
  process.on("unhandledRejection", record);
}

/** To be called when all files have run, so that it is the last to learn how the process ends. */
export function recordExit(): void {
  process.on("exit", (given) => {
    const code = Number(process.exitCode ?? given);
    appendResult({ kind: "exit", process: thisProcess, code });
  });
}
