import { inspect } from "node:util";
import { readUse } from "./processor-use.ts";
import { appendResult, processName } from "./test-results.ts";

/** The part of the runner's events that this report needs. */
type RunEvent = {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly nesting?: number;
    /** The program of the process. */
    readonly entryFile?: string;
    readonly details?: {
      readonly duration_ms?: number;
      readonly type?: string;
      readonly error?: { readonly failureType?: string; readonly cause?: unknown };
    };
  };
};

/** The name of the test around the files of a process. In it, each file is a suite. */
export const QUEUE_TITLE = "files of this process";
const SHOWN_MAX = 15;

function fileOf({ name = "", nesting }: RunEvent["data"]): string | undefined {
  return nesting === 1 && name.endsWith(".test.ts") ? name : undefined;
}

/**
 * A reporter of the test runner: which files took longest, on the clock and of the processor, so that
 * the suite stays quick. Which files failed, and why, goes to the results of the run.
 */
// biome-ignore lint/style/noDefaultExport: the runner takes the default export of a reporter.
export default async function* report(source: AsyncIterable<RunEvent>) {
  const onClock = new Map<string, number>();
  // The runner reports one process after the other, and the tests of a file before its suite.
  let reasons: string[] = [];
  let tests = 0;
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const reason = type === "test:fail" ? reasonOf(data) : undefined;
    if (reason !== undefined) reasons.push(reason);
    if (data.nesting === 0) {
      // What is left belongs to a file that did not run to its end, or to the process itself.
      const process = processName(data.entryFile ?? data.name ?? "");
      const text = reasons.join("\n\n");
      if (text !== "") appendResult({ kind: "process-failure", process, text });
      reasons = [];
      tests = 0;
      continue;
    }
    const file = fileOf(data);
    if (file === undefined) {
      if (data.details?.type !== "suite") tests += 1;
      continue;
    }
    for (const text of reasons) appendResult({ kind: "note", file, text });
    reasons = [];
    appendResult({ kind: "finished", file, isGreen: type === "test:pass", tests });
    tests = 0;
    add(onClock, file, (data.details?.duration_ms ?? 0) / 1000);
  }
  const ofProcessor = new Map<string, number>();
  for (const { file, seconds } of readUse(process.env.BILLFOLD_TEST_USE)) {
    add(ofProcessor, file, seconds);
  }
  yield* render("s", onClock);
  yield* render("s of the processor", ofProcessor);
}

/** Undefined for a suite around a test that failed: it has no reason of its own. */
function reasonOf({ name, details }: RunEvent["data"]): string | undefined {
  const error = details?.error;
  if (error?.failureType === "subtestsFailed") return undefined;
  return `✖ ${name}\n${inspect(error?.cause ?? error, { depth: 4 })}`;
}

function add(totals: Map<string, number>, file: string, seconds: number): void {
  totals.set(file, (totals.get(file) ?? 0) + seconds);
}

function* render(unit: string, secondsOf: ReadonlyMap<string, number>) {
  const files = [...secondsOf].sort(([, left], [, right]) => right - left);
  const total = files.reduce((sum, [, seconds]) => sum + seconds, 0);
  yield `\n${files.length} files took ${total.toFixed(0)} ${unit}, of which longest:\n`;
  for (const [file, seconds] of files.slice(0, SHOWN_MAX)) {
    yield `${seconds.toFixed(1).padStart(6)} s  ${file}\n`;
  }
}
