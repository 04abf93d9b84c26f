import { relative } from "node:path";

/** The part of what the runner tells that this report needs. */
type RunEvent = {
  readonly type: string;
  readonly data: { readonly file?: string; readonly duration_ms?: number };
};

const SHOWN_MAX = 15;

/** A report of the test runner: which files took longest, so that the suite stays quick. */
// biome-ignore lint/style/noDefaultExport: the runner takes the default export of a report.
export default async function* slowestFiles(source: AsyncIterable<RunEvent>) {
  const files: { readonly file: string; readonly seconds: number }[] = [];
  for await (const { type, data } of source) {
    if (type !== "test:summary" || data.file === undefined) continue;
    files.push({ file: relative("", data.file), seconds: (data.duration_ms ?? 0) / 1000 });
  }
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  files.sort((left, right) => right.seconds - left.seconds);
  yield `\n${files.length} files took ${total.toFixed(0)} s, of which longest:\n`;
  for (const { file, seconds } of files.slice(0, SHOWN_MAX)) {
    yield `${seconds.toFixed(1).padStart(6)} s  ${file}\n`;
  }
}
