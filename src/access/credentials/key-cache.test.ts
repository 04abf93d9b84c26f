import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ActiveKey } from "#src/api-keys/public.ts";
import { KeyCache } from "./key-cache.ts";

const HASH = Buffer.from("hash");
const KEY: ActiveKey = {
  tenantId: "acme",
  id: "key_1",
  kind: "api-key",
  name: "till-7",
  scopes: ["Pass.Read"],
  expiresInMs: null,
  tenantSince: null,
};

/** A cache whose lookups the test answers and whose clock the test sets. */
function createBench() {
  const waiting: ((found: ActiveKey | undefined) => void)[] = [];
  const time = { now: 1_000 };
  const cache = new KeyCache({
    now: () => time.now,
    find: () => new Promise((resolve) => waiting.push(resolve)),
  });
  const answer = (found: ActiveKey | undefined) => waiting.shift()?.(found);
  return { cache, time, waiting, answer };
}

describe("the cache of keys", () => {
  it("asks once for requests that come together, and not again while the answer is fresh", async () => {
    const { cache, time, waiting, answer } = createBench();
    const both = [cache.load("a", HASH), cache.load("a", HASH)];
    assert.equal(waiting.length, 1);
    answer(KEY);
    const [first, second] = await Promise.all(both);
    assert.equal(first, second);
    assert.equal(first?.actor.id, "till-7");

    time.now += 899;
    assert.equal(cache.fresh("a"), first);
    time.now += 1;
    assert.equal(cache.fresh("a"), undefined);
  });

  it("counts the age from the start of a lookup, however long it takes", async () => {
    const { cache, time, answer } = createBench();
    const loading = cache.load("a", HASH);
    time.now += 2_000;
    answer(KEY);
    assert.equal((await loading)?.keyId, "key_1");
    assert.equal(cache.fresh("a"), undefined);
  });

  it("does not join a lookup that began too long ago to be trusted", () => {
    const { cache, time, waiting } = createBench();
    void cache.load("a", HASH);
    time.now += 900;
    void cache.load("a", HASH);
    assert.equal(waiting.length, 2);
  });

  it("never keeps a key beyond its expiry", async () => {
    const { cache, time, answer } = createBench();
    const loading = cache.load("a", HASH);
    answer({ ...KEY, expiresInMs: 40 });
    await loading;
    time.now += 39;
    assert.notEqual(cache.fresh("a"), undefined);
    time.now += 1;
    assert.equal(cache.fresh("a"), undefined);
  });

  it("forgets a tenant's keys at once and leaves the others", async () => {
    const { cache, answer } = createBench();
    const loading = [cache.load("a", HASH), cache.load("b", HASH)];
    answer(KEY);
    answer({ ...KEY, tenantId: "rival" });
    await Promise.all(loading);

    cache.forgetTenant("acme");
    assert.equal(cache.fresh("a"), undefined);
    assert.notEqual(cache.fresh("b"), undefined);
    cache.forgetAll();
    assert.equal(cache.fresh("b"), undefined);
  });

  it("does not remember a lookup during which keys were revoked, nor lets others join it", async () => {
    const { cache, waiting, answer } = createBench();
    const before = cache.load("a", HASH);
    cache.forgetTenant("acme");
    const after = cache.load("a", HASH);
    assert.equal(waiting.length, 2);

    answer(KEY);
    await before;
    assert.equal(cache.fresh("a"), undefined);
    answer(undefined);
    assert.equal(await after, undefined);
    assert.equal(cache.fresh("a"), undefined);
  });

  it("remembers no absence: a key made a moment later works", async () => {
    const { cache, answer } = createBench();
    const missing = cache.load("a", HASH);
    answer(undefined);
    assert.equal(await missing, undefined);
    const found = cache.load("a", HASH);
    answer(KEY);
    assert.equal((await found)?.keyId, "key_1");
  });

  it("is not stuck after a failed lookup", async () => {
    let calls = 0;
    const cache = new KeyCache({
      now: () => 0,
      find: async () => {
        calls += 1;
        if (calls === 1) throw new Error("no database");
        return KEY;
      },
    });
    await assert.rejects(cache.load("a", HASH), /no database/);
    assert.equal((await cache.load("a", HASH))?.keyId, "key_1");
  });

  it("holds ten thousand keys and lets the longest unseen go first", async () => {
    const cache = new KeyCache({ now: () => 0, find: async () => KEY });
    for (let count = 0; count < 10_000; count += 1) await cache.load(String(count), HASH);
    await cache.load("0", HASH);
    await cache.load("one more", HASH);
    assert.notEqual(cache.fresh("0"), undefined);
    assert.equal(cache.fresh("1"), undefined);
    assert.notEqual(cache.fresh("2"), undefined);
  });
});
