import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSources, type Source } from "#test/support/sources.ts";

/** A longer file contains more than one subject. */
const LINES_MAX = 400;

const linesOf = ({ text }: Source): number => text.split("\n").length - 1;

function tooLong(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => linesOf(source) > LINES_MAX)
    .map((source) => `${source.path}: ${linesOf(source)} lines`);
}

function quantile(values: readonly number[], share: number): number {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(share * (values.length - 1))] ?? 0
  );
}

describe("files", () => {
  it(`have at most ${LINES_MAX} lines`, (t) => {
    const sources = readSources(
      "{src,scripts,test,bench,bin}/**/*.{ts,tsx,mjs,js}",
      "console/{src,build}/**/*.{ts,tsx,css}",
    );
    const lines = sources.map(linesOf);
    t.diagnostic(
      `${lines.length} files, median ${quantile(lines, 0.5)} lines, 95th percentile ${quantile(lines, 0.95)}`,
    );
    assert.ok(sources.length > 50);
    assert.deepEqual(tooLong(sources), []);
  });

  it("are counted right", () => {
    const file = (lines: number) => ({ path: "x.ts", text: "x\n".repeat(lines) });
    assert.deepEqual(tooLong([file(LINES_MAX)]), []);
    assert.deepEqual(tooLong([file(LINES_MAX + 1)]), ["x.ts: 401 lines"]);
  });
});
