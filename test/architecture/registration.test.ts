import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSources } from "#test/support/sources.ts";

/** See `test/support/async-tracking.ts`: afterwards the runner does not know where something belongs. */
describe("test files", () => {
  const files = readSources("{src,test}/**/*.test.ts");

  it("register their tests while they are loaded: no `describe` is asynchronous", () => {
    for (const { path, text } of files) {
      assert.doesNotMatch(
        text,
        /\bdescribe\w*\([^\n]*\basync\b/,
        `${path}: begin it in \`before\``,
      );
    }
  });

  it("undo what a test did by the `t` of that test, not by the `after` of the file", () => {
    for (const { path, text } of files) {
      assert.doesNotMatch(text, /^ {4,}.*\{ after \}/m, `${path}: give it \`t\``);
    }
  });
});
