import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTest, readSources, type Source } from "#test/support/sources.ts";

/** The only folders with statements on tables that many modules need. */
const HOMES: Readonly<Record<string, RegExp>> = {
  event: /^src\/(events|kernel\/events)\//,
  job_item: /^src\/jobs\//,
};

function strangersTo(table: string, home: RegExp, sources: readonly Source[]): string[] {
  const named = new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b(?!\\.)`);
  return sources
    .filter(({ path, text }) => !home.test(path) && named.test(text))
    .map(({ path }) => path);
}

const sources = readSources("src/**/*.ts").filter((source) => !isTest(source));

describe("statements on a table", () => {
  for (const [table, home] of Object.entries(HOMES)) {
    it(`stand in the home of '${table}' alone`, () => {
      assert.deepEqual(strangersTo(table, home, sources), []);
    });
  }

  it("are found wherever they stand", () => {
    const planted = {
      path: "src/passes/pass.repository.ts",
      text: "select id\n      from event\n",
    };
    assert.deepEqual(strangersTo("event", /^src\/events\//, [planted]), [planted.path]);
  });
});
