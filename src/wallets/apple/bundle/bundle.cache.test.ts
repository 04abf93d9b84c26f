import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BundleCache, RecentBytes } from "./bundle.cache.ts";

const bundle = (size: number, stamp = "1") => ({
  stamp,
  fingerprint: stamp,
  rest: Buffer.alloc(size),
  sizeBytes: size,
});

describe("RecentBytes", () => {
  it("stays below its limit, and forgets what was used least lately", () => {
    const cache = new RecentBytes<string, { sizeBytes: number }>(10_000);
    for (const key of ["a", "b", "c"]) cache.set(key, { sizeBytes: 2_000 });
    assert.ok(cache.get("a") !== undefined);
    cache.set("d", { sizeBytes: 2_000 });
    assert.equal(cache.get("b"), undefined);
    assert.ok(cache.get("a") !== undefined && cache.get("d") !== undefined);
    assert.ok(cache.sizeBytes <= 10_000);
    cache.set("huge", { sizeBytes: 20_000 });
    assert.equal(cache.get("huge"), undefined);
    assert.equal(cache.sizeBytes, 0);
  });

  it("counts empty entries, too", () => {
    const cache = new RecentBytes<number, { sizeBytes: number }>(10_000);
    for (let key = 0; key < 1_000; key += 1) cache.set(key, { sizeBytes: 0 });
    assert.ok(cache.sizeBytes <= 10_000);
    assert.equal(cache.get(0), undefined);
  });
});

describe("BundleCache", () => {
  it("keeps one bundle for each pass: the newest that was made", () => {
    const cache = new BundleCache(10_000);
    cache.set("a", bundle(10, "1"), 0);
    cache.set("a", bundle(10, "2"), 0);
    assert.equal(cache.get("a")?.stamp, "2");
  });

  it("never keeps a pass that was erased while its bundle was made", () => {
    const cache = new BundleCache(10_000);
    cache.erase("a");
    cache.set("a", bundle(10), cache.clearings);
    assert.equal(cache.get("a"), undefined);
  });

  it("never keeps what was read before it was cleared", () => {
    const cache = new BundleCache(10_000);
    const { clearings } = cache;
    cache.clear();
    cache.set("a", bundle(10), clearings);
    assert.equal(cache.get("a"), undefined);
  });
});
