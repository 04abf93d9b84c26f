import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { findMissing, type Lock } from "../../scripts/complete-lock.ts";

const text = readFileSync("package-lock.json", "utf8");

describe("package-lock.json", () => {
  it("names every optional package, which `npm ci` insists on (node scripts/complete-lock.ts)", () => {
    assert.deepEqual(findMissing(JSON.parse(text) as Lock), []);
    const planted: Lock = {
      packages: { "node_modules/a": { optionalDependencies: { "a-linux-x64": "1.0.0" } } },
    };
    assert.equal(findMissing(planted).length, 1);
  });

  it("holds no registry addresses", () => {
    assert.ok(!text.includes('"resolved"'));
    assert.ok(!text.includes("://registry"));
  });
});
