import { relative } from "node:path";
import { readUse } from "./processor-use.ts";

/** The part of what the runner tells that this report needs. */
type RunEvent = {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly nesting?: number;
    readonly details?: { readonly duration_ms?: number };
  };
};

/** The name of the test around the files that share a process. In it, each file is a suite. */
export const QUEUE_TITLE = "files that share a process";
const SHOWN_MAX = 15;

function fileOf({ name = "", file = "", nesting }: RunEvent["data"]): string | undefined {
  if (nesting === 0 && name !== QUEUE_TITLE) return relative("", file);
  return nesting === 1 && name.endsWith(".test.ts") ? name : undefined;
}

/**
 * A report of the test runner: which files took longest, on the clock and of the processor, so that
 * the suite stays quick.
 */
// biome-ignore lint/style/noDefaultExport: the runner takes the default export of a report.
export default async function* slowestFiles(source: AsyncIterable<RunEvent>) {
  const onClock = new Map<string, number>();
  for await (const { type, data } of source) {
    const file = fileOf(data);
    if ((type !== "test:pass" && type !== "test:fail") || file === undefined) continue;
    add(onClock, file, (data.details?.duration_ms ?? 0) / 1000);
  }
  const ofProcessor = new Map<string, number>();
  for (const { file, seconds } of readUse(process.env.BILLFOLD_TEST_USE)) {
    add(ofProcessor, file, seconds);
  }
  yield* render("s", onClock);
  yield* render("s of the processor", ofProcessor);
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
