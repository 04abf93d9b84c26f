import { relative } from "node:path";

/** The part of what the runner tells that this report needs. */
type RunEvent = {
  readonly type: string;
  readonly data: {
    readonly file?: string;
    readonly nesting?: number;
    readonly details?: { readonly duration_ms?: number };
  };
};

const SHOWN_MAX = 15;

/** A report of the test runner: which files took longest, so that the suite stays quick. */
// biome-ignore lint/style/noDefaultExport: the runner takes the default export of a report.
export default async function* slowestFiles(source: AsyncIterable<RunEvent>) {
  const secondsOf = new Map<string, number>();
  for await (const { type, data } of source) {
    if ((type !== "test:pass" && type !== "test:fail") || data.nesting !== 0) continue;
    const file = relative("", data.file ?? "");
    const seconds = (data.details?.duration_ms ?? 0) / 1000;
    secondsOf.set(file, (secondsOf.get(file) ?? 0) + seconds);
  }
  const files = [...secondsOf].sort(([, left], [, right]) => right - left);
  const total = files.reduce((sum, [, seconds]) => sum + seconds, 0);
  yield `\n${files.length} files took ${total.toFixed(0)} s, of which longest:\n`;
  for (const [file, seconds] of files.slice(0, SHOWN_MAX)) {
    yield `${seconds.toFixed(1).padStart(6)} s  ${file}\n`;
  }
}
