import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ContentCache, sizeOf } from "./content.cache.ts";

const at = (pass: number, configuration = 1, privileges = "") => ({
  pass,
  configuration,
  privileges,
});

describe("ContentCache", () => {
  it("finds the very version that was asked for, and no other", () => {
    const cache = new ContentCache<string>(10_000);
    cache.set("a", at(1), "one");
    assert.equal(cache.get("a", at(1)), "one");
    assert.equal(cache.get("a", at(2)), undefined);
    assert.equal(cache.get("a", at(1, 2)), undefined);
    assert.equal(cache.get("a", at(1, 1, "other")), undefined);
    assert.equal(cache.get("b", at(1)), undefined);
    cache.set("a", at(2), "two");
    assert.equal(cache.get("a", at(1)), undefined);
    assert.equal(cache.count, 1);
  });

  it("keeps the newer one against whoever is late", () => {
    const cache = new ContentCache<string>(10_000);
    cache.set("a", at(2, 2), "new");
    cache.set("a", at(1, 2), "late");
    cache.set("a", at(2, 1), "late");
    assert.equal(cache.get("a", at(2, 2)), "new");
  });

  it("forgets what was used least lately", () => {
    const cache = new ContentCache<string>(2_000);
    const text = "x".repeat(80);
    for (const key of ["a", "b", "c", "d", "e", "f", "g", "h", "i"]) cache.set(key, at(1), text);
    assert.equal(cache.get("a", at(1)), text);
    cache.set("j", at(1), text);
    cache.set("k", at(1), text);
    assert.equal(cache.get("a", at(1)), text);
    assert.equal(cache.get("b", at(1)), undefined);
  });

  it("keeps nothing of an erased pass, whoever is late", () => {
    const cache = new ContentCache<string>(10_000);
    cache.set("a", at(1), "one");
    cache.erase("a");
    cache.set("a", at(2), "late");
    assert.deepEqual([cache.get("a", at(2)), cache.count, cache.sizeBytes], [undefined, 0, 0]);
  });

  it("never takes more than it may, and counts to nothing when it is emptied", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "c", "d", "e"),
      version: fc.integer({ min: 1, max: 4 }),
      text: fc.string({ maxLength: 400 }),
      isDeleted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = new ContentCache<string>(3_000);
        for (const { key, version, text, isDeleted } of steps) {
          if (isDeleted) cache.delete(key);
          else cache.set(key, at(version), text);
          assert.ok(cache.sizeBytes >= 0 && cache.sizeBytes <= 3_000);
        }
        for (const key of ["a", "b", "c", "d", "e"]) cache.delete(key);
        assert.deepEqual([cache.sizeBytes, cache.count], [0, 0]);
      }),
    );
  });

  it("does not let one thing push out all others", () => {
    const cache = new ContentCache<string>(4_000);
    cache.set("small", at(1), "x");
    cache.set("huge", at(1), "x".repeat(1_900));
    assert.equal(cache.get("huge", at(1)), undefined);
    assert.equal(cache.get("small", at(1)), "x");
  });

  it("counts what is nested, in maps too", () => {
    const text = "x".repeat(1_000);
    for (const value of [[text], { a: { b: text } }, new Map([["a", text]])]) {
      assert.ok(sizeOf(value) > 2_000);
    }
    assert.ok(sizeOf(undefined) < 100);
  });
});
