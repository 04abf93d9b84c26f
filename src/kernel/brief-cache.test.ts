import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BriefCache } from "./brief-cache.ts";
import { holding } from "./db/holding.ts";

function startCache() {
  const clock = { ms: 0 };
  let loads = 0;
  const load = () => {
    loads += 1;
    return Promise.resolve(loads);
  };
  return { clock, cache: new BriefCache(load, () => clock.ms) };
}

describe("BriefCache", () => {
  it("loads a value anew after less than a second", async () => {
    const { clock, cache } = startCache();
    assert.equal(await cache.get("name"), 1);
    clock.ms = 900;
    assert.equal(await cache.get("name"), 1);
    clock.ms = 901;
    assert.equal(await cache.get("name"), 2);
  });

  it("keeps a value that is being loaded while another name is forgotten, but not its own", async () => {
    const { cache } = startCache();
    const [kept, dropped] = [cache.get("kept"), cache.get("dropped")];
    cache.forget("dropped");
    await Promise.all([kept, dropped]);
    assert.deepEqual(cache.last("kept"), { value: 1, isFresh: true });
    assert.equal(cache.last("dropped"), undefined);
  });

  it("gives a call that holds a connection what was fresh when the call began", async () => {
    const { clock, cache } = startCache();
    await cache.get("name");
    await holding.run({ isHolding: true, op: "test.hold" }, async () => {
      clock.ms = 30_000;
      assert.equal(await cache.get("name"), 1);
      clock.ms = 30_001;
      assert.equal(await cache.get("name"), 2);
      cache.forget("name");
      assert.equal(await cache.get("name"), 3);
    });
  });
});
